//! What must hold for anything that is read: shared by the property tests and
//! the fuzz targets.

use proscenium_cull::{CompiledModel, Model, Player, Seed, System};

/// Any text is a model or an error with a place; a model can be run or says why
/// not.
#[allow(dead_code, reason = "each fuzz target uses one of these")]
pub fn model(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    match Model::parse("any.toml", text) {
        Ok(model) => {
            let mut stream = Seed(1).stream("any");
            let mut state = model.initial(&mut stream);
            let _ = model.advance(&mut state, 0.0, 0.01, &mut stream);
        }
        Err(errors) => assert!(errors.errors.iter().all(|error| error.place.is_some())),
    }
}

/// Any bytes are a compiled model or an error; a compiled model can be seen, in
/// every regime, and written again.
#[allow(dead_code, reason = "each fuzz target uses one of these")]
pub fn compiled(data: &[u8]) {
    let Ok(culled) = CompiledModel::from_bytes(data) else {
        return;
    };
    let mut player = Player::new(culled.model(), Seed(1), 0.0);
    for time in [0.01, 0.02, 3.0, 60.0] {
        let _ = player.see(culled.model(), culled.learned(), time);
    }
    let _ = culled.to_bytes();
    let _ = culled.to_javascript();
}
