//! A web page that shows a motion graph: the player, the graph and what steers it, in one
//! file that needs nothing else.

use super::PLAYER_MODULE;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// A page without dependencies on which instances of a graph grow, given the file that
/// [`to_player`](super::to_player) makes.
pub fn to_player_page(title: &str, player: &[u8]) -> String {
    let title: String = title.chars().filter(|letter| !letter.is_control()).collect();
    let title = title.replace('&', "&amp;").replace('<', "&lt;");
    // What ends the script would end the page.
    let script = format!("{PLAYER_MODULE}\n{SCRIPT}").replace("</", "<\\/");
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n\
         <style>\n{STYLE}</style>\n<canvas tabindex=\"0\" aria-label=\"{title}, moving in the wind\"></canvas>\n\
         <form><strong>{title}</strong> <span id=\"levels\" role=\"group\" aria-label=\"Wind\"></span> \
         <label>instances <input id=\"count\" type=\"range\" min=\"0\" max=\"11\" value=\"5\"></label> \
         <span role=\"status\"></span></form>\n\
         <script type=\"text/plain\" id=\"graph\">{}</script>\n<script type=\"module\">\n{script}</script>\n</html>\n",
        base64(player)
    )
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let word = three.iter().enumerate().fold(0_u32, |word, (at, &byte)| word | u32::from(byte) << (16 - 8 * at));
        for letter in 0..4 {
            let is_there = letter <= three.len();
            text.push(if is_there { char::from(LETTERS[(word >> (18 - 6 * letter) & 63) as usize]) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_become_base64() {
        for (bytes, text) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")] {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }

    #[test]
    fn a_name_cannot_end_the_page() {
        let page = to_player_page("</title><script>", b"abc");
        assert!(page.contains("<title>&lt;/title>&lt;script></title>"));
        assert_eq!(page.matches("</script>").count(), 2, "one for the graph, one for the player");
    }
}
