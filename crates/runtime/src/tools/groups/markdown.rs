//! HTML as Markdown, in one pass over the page.

/// HTML as Markdown: headings, paragraphs, lists, links and code. Scripts and styles are left out.
pub fn markdown(html: &str) -> String {
    let mut out = String::new();
    let mut rest = html;
    let mut link: Option<String> = None;
    while let Some((text, behind)) = rest.split_once('<') {
        push_text(&mut out, text);
        if let Some(comment) = behind.strip_prefix("!--") {
            rest = comment.split_once("-->").map_or("", |(_, after)| after);
            continue;
        }
        let Some((tag, after)) = behind.split_once('>') else { break };
        rest = after;
        let name: String = tag
            .trim_start_matches('/')
            .chars()
            .take_while(char::is_ascii_alphanumeric)
            .collect::<String>()
            .to_ascii_lowercase();
        let closes = tag.starts_with('/');
        match (name.as_str(), closes) {
            ("script" | "style" | "noscript" | "template" | "svg", false) if !tag.ends_with('/') => {
                rest = behind_end_tag(rest, &name);
            }
            ("h1" | "h2" | "h3" | "h4" | "h5" | "h6", false) => {
                let level = name[1..].parse().unwrap_or(1);
                out.push_str(&format!("\n\n{} ", "#".repeat(level)));
            }
            ("li", false) => out.push_str("\n- "),
            ("br", _) => out.push('\n'),
            ("p" | "div" | "section" | "article" | "table" | "tr" | "ul" | "ol" | "blockquote" | "pre", _)
            | ("h1" | "h2" | "h3" | "h4" | "h5" | "h6", true) => out.push_str("\n\n"),
            ("td" | "th", false) => out.push_str(" | "),
            ("strong" | "b", _) => out.push_str("**"),
            ("em" | "i", _) => out.push('*'),
            ("code", _) => out.push('`'),
            ("a", false) => {
                let target = tag.split_once("href=").map(|(_, value)| value.trim_start_matches(['"', '\'']));
                let target = target.and_then(|value| value.split(['"', '\'', ' ', '>']).next()).unwrap_or_default();
                if target.starts_with("http") {
                    out.push('[');
                    link = Some(target.to_owned());
                }
            }
            ("a", true) => {
                if let Some(target) = link.take() {
                    out.push_str(&format!("]({target})"));
                }
            }
            _ => {}
        }
    }
    push_text(&mut out, rest);
    let mut lines: Vec<&str> = Vec::new();
    for line in out.lines().map(str::trim_end) {
        if !(line.trim().is_empty() && lines.last().is_none_or(|last| last.is_empty())) {
            lines.push(if line.trim().is_empty() { "" } else { line });
        }
    }
    lines.join("\n").trim().to_owned()
}

/// What stands behind the end tag of this name; nothing if there is none. Looks at each byte once, so that a page full of such tags
/// takes no longer than any other.
fn behind_end_tag<'a>(html: &'a str, name: &str) -> &'a str {
    let mut rest = html;
    while let Some((_, behind)) = rest.split_once("</") {
        let is_it = behind.get(..name.len()).is_some_and(|found| found.eq_ignore_ascii_case(name));
        if is_it {
            return behind.split_once('>').map_or("", |(_, after)| after);
        }
        rest = behind;
    }
    ""
}

fn push_text(out: &mut String, text: &str) {
    let text = text
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&#39;", "'")
        .replace("&nbsp;", " ")
        .replace("&amp;", "&");
    let starts = text.starts_with(char::is_whitespace);
    let words: Vec<&str> = text.split_whitespace().collect();
    let ends_open = out.chars().last().is_none_or(char::is_whitespace);
    if (starts || words.is_empty()) && !text.is_empty() && !ends_open {
        out.push(' ');
    }
    out.push_str(&words.join(" "));
    if !words.is_empty() && text.ends_with(char::is_whitespace) {
        out.push(' ');
    }
}
