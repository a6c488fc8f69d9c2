//! Promise: an order is read as it is meant, and what is wrong is said with what to do.

use proscenium_scenes::Seed;
use proscenium_scenes::dice::{DiceOrder, Die};
use proscenium_wasm::dice::read;

#[test]
fn an_order_of_a_page_is_an_order_of_the_engine() {
    let order = read(r#"{"dice": ["d6", "d20"], "show": [3, 17], "seed": 42, "tray": [0.5, 0.25]}"#).unwrap();
    let plain = DiceOrder::new(&[Die::D6, Die::D20], Seed(42));
    assert_eq!(order, DiceOrder { show: Some(vec![3, 17]), tray: [0.5, 0.25], ..plain });
    assert_eq!(read(r#"{"dice": ["d4"]}"#).unwrap(), DiceOrder::new(&[Die::D4], Seed(0)));
}

#[test]
fn what_is_no_order_is_refused_with_a_remedy() {
    let known = "the dice are: d4, d6, d8, d10, d12, d20, d100";
    assert_eq!(read(r#"{"dice": ["d7"]}"#).unwrap_err(), ("there is no die \"d7\"".into(), known.into()));
    for text in ["", "[]", "{}", r#"{"dice": 6}"#, r#"{"dice": ["d6"], "seed": -1}"#, r#"{"dice": [], "sides": 6}"#] {
        let (message, remedy) = read(text).unwrap_err();
        assert!(message.starts_with("this cannot be ordered: ") && remedy.starts_with("give dice: "), "{message}");
    }
}
