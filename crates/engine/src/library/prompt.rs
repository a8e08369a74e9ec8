//! What a prompt says of the functions that a model may call, in the words of seed 003 §4.3.

use super::{FunctionType, LibraryFunction};

/// The block for these functions; passive ones are left out, since nobody calls them. Of two with one name the first counts.
///
/// ```text
/// <variable_system_functions>
/// 你可以使用以下函数来更新游戏状态：
///
/// @.SET("path.to.var", value); // 设置变量
/// 示例：@.SET("角色.名字", "张三");
/// </variable_system_functions>
/// ```
pub fn prompt<'a>(functions: impl IntoIterator<Item = &'a LibraryFunction>) -> String {
    let mut named: Vec<&LibraryFunction> = Vec::new();
    for function in functions {
        if function.kind == FunctionType::Active && !named.iter().any(|other| other.has_name(&function.name)) {
            named.push(function);
        }
    }
    let entries: Vec<String> = named.into_iter().map(entry).collect();
    format!(
        "<variable_system_functions>\n你可以使用以下函数来更新游戏状态：\n\n{}</variable_system_functions>",
        entries.join("\n")
    )
}

fn entry(function: &LibraryFunction) -> String {
    // Without a signature the example shows best how a pattern is met. Without either the pattern itself does: models read
    // patterns, and `@.NAME();` would not meet it.
    let call = function.signature.as_ref().or(function.example.as_ref()).or(function.pattern.as_ref());
    let mut entry = call.cloned().unwrap_or_else(|| format!("@.{}();", function.name));
    let description: Vec<&str> = function.description.split_whitespace().collect();
    if !description.is_empty() {
        entry += &format!(" // {}", description.join(" "));
    }
    entry.push('\n');
    if let Some(example) = &function.example {
        entry += &format!("示例：{example}\n");
    }
    entry
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::shipped;

    fn shown(names: &[&str]) -> String {
        let wanted = names.iter().filter_map(|name| shipped().iter().find(|shipped| shipped.function.name == *name));
        prompt(wanted.map(|shipped| &shipped.function))
    }

    #[test]
    fn the_block_is_that_of_the_seed() {
        let expected = "<variable_system_functions>\n\
            你可以使用以下函数来更新游戏状态：\n\
            \n\
            @.SET(\"path.to.var\", value); // 设置变量\n\
            示例：@.SET(\"角色.名字\", \"张三\");\n\
            \n\
            @.ADD(\"path.to.number\", 5); // 数值加法\n\
            示例：@.ADD(\"角色.金币\", 100);\n\
            \n\
            @.APPEND(\"path.to.array\", item); // 数组追加\n\
            示例：@.APPEND(\"背包\", \"治疗药水\");\n\
            </variable_system_functions>";
        assert_eq!(shown(&["SET", "ADD", "APPEND", "clamp"]), expected);
    }

    #[test]
    fn what_is_not_said_is_left_out() {
        let mut function = shipped()[0].function.clone();
        (function.description, function.example) = ("two\n lines".into(), None);
        let lines = prompt([&function]);
        assert!(lines.contains("\n@.SET(\"path.to.var\", value); // two lines\n</"), "{lines}");
        (function.signature, function.pattern) = (None, None);
        function.description.clear();
        assert!(prompt([&function]).contains("\n@.SET();\n</"));
        function.pattern = Some("/spends? (\\d+) gold/i".into());
        assert!(prompt([&function]).contains("\n/spends? (\\d+) gold/i\n</"));
        function.pattern = None;
        assert_eq!(prompt([&function, &shipped()[0].function]).matches("@.SET").count(), 1);
        assert!(prompt([]).ends_with("：\n\n</variable_system_functions>"));
    }
}
