//! What comes with the program. The eight built-in functions (seed 003 §3.4) are native; what is written here is what the prompt
//! says of them and what a copy begins with. Starters are ordinary functions that nobody has to write; they are off until
//! they are switched on, and their paths are meant to be changed in a copy.

use super::{FunctionType, LibraryFunction, Timing};
use std::sync::LazyLock;

/// What the ids of built-in functions begin with.
pub const BUILTIN_PREFIX: &str = "builtin:";
/// What the ids of starters begin with.
pub const STARTER_PREFIX: &str = "starter:";

/// A function that comes with the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shipped {
    /// `builtin:SET`, `starter:clamp`.
    pub id: String,
    /// Whether the engine does it itself; otherwise it is a starter.
    pub builtin: bool,
    /// What it is.
    pub function: LibraryFunction,
}

/// All of them: the built-in ones first.
pub fn shipped() -> &'static [Shipped] {
    static SHIPPED: LazyLock<Vec<Shipped>> =
        LazyLock::new(|| BUILTINS.iter().map(builtin).chain(STARTERS.iter().map(starter)).collect());
    &SHIPPED
}

/// A built-in function.
struct Builtin {
    name: &'static str,
    pattern: &'static str,
    /// The three lines of the prompt.
    description: &'static str,
    signature: &'static str,
    example: &'static str,
    executor: &'static str,
}

const BUILTINS: &[Builtin] = &[
    Builtin {
        name: "SET",
        pattern: r#"@\.SET\("([^"]+)",\s*(.+?)\);?"#,
        description: "设置变量",
        signature: r#"@.SET("path.to.var", value);"#,
        example: r#"@.SET("角色.名字", "张三");"#,
        executor: include_str!("js/set.js"),
    },
    Builtin {
        name: "ADD",
        pattern: r#"@\.ADD\("([^"]+)",\s*(-?\d+(?:\.\d+)?)\);?"#,
        description: "数值加法",
        signature: r#"@.ADD("path.to.number", 5);"#,
        example: r#"@.ADD("角色.金币", 100);"#,
        executor: include_str!("js/add.js"),
    },
    Builtin {
        name: "SUB",
        pattern: r#"@\.SUB\("([^"]+)",\s*(-?\d+(?:\.\d+)?)\);?"#,
        description: "数值减法",
        signature: r#"@.SUB("path.to.number", 5);"#,
        example: r#"@.SUB("角色.生命值", 10);"#,
        executor: include_str!("js/sub.js"),
    },
    Builtin {
        name: "APPEND",
        pattern: r#"@\.APPEND\("([^"]+)",\s*(.+?)\);?"#,
        description: "数组追加",
        signature: r#"@.APPEND("path.to.array", item);"#,
        example: r#"@.APPEND("背包", "治疗药水");"#,
        executor: include_str!("js/append.js"),
    },
    Builtin {
        name: "REMOVE",
        pattern: r#"@\.REMOVE\("([^"]+)",\s*(.+?)\);?"#,
        description: "数组删除(按索引或值)",
        signature: r#"@.REMOVE("path.to.array", index);"#,
        example: r#"@.REMOVE("背包.物品", 0);"#,
        executor: include_str!("js/remove.js"),
    },
    Builtin {
        name: "ASSIGN",
        pattern: r#"@\.ASSIGN\("([^"]+)",\s*(\{.*?\})\);?"#,
        description: "对象合并",
        signature: r#"@.ASSIGN("path.to.object", {"key": value});"#,
        example: r#"@.ASSIGN("角色", {"等级": 2});"#,
        executor: include_str!("js/assign.js"),
    },
    Builtin {
        name: "UNSET",
        pattern: r#"@\.UNSET\("([^"]+)"\);?"#,
        description: "删除字段",
        signature: r#"@.UNSET("path.to.var");"#,
        example: r#"@.UNSET("临时数据.flag");"#,
        executor: include_str!("js/unset.js"),
    },
    Builtin {
        name: "TIME",
        pattern: r#"@\.TIME\("([^"]+)"\);?"#,
        description: "更新时间",
        signature: r#"@.TIME("time");"#,
        example: r#"@.TIME("2024-10-20T15:30:00Z");"#,
        executor: include_str!("js/time.js"),
    },
];

fn builtin(builtin: &Builtin) -> Shipped {
    let Builtin { name, pattern, description, signature, example, executor } = builtin;
    let function = LibraryFunction {
        name: (*name).to_owned(),
        kind: FunctionType::Active,
        order: 0,
        pattern: Some((*pattern).to_owned()),
        timing: None,
        description: (*description).to_owned(),
        signature: Some((*signature).to_owned()),
        example: Some((*example).to_owned()),
        executor: (*executor).to_owned(),
    };
    Shipped { id: format!("{BUILTIN_PREFIX}{name}"), builtin: true, function }
}

/// A starter.
struct Starter {
    /// The end of its id.
    id: &'static str,
    name: &'static str,
    /// How it is called; none for one that is passive and runs after the commands.
    call: Option<StarterCall>,
    description: &'static str,
    executor: &'static str,
}

struct StarterCall {
    signature: &'static str,
    example: &'static str,
}

const STARTERS: &[Starter] = &[
    Starter {
        id: "advance_time",
        name: "advance_time",
        call: None,
        description: "每回合时间自动推进1小时 (moves the time of the story on by an hour in every turn)",
        executor: include_str!("js/advance_time.js"),
    },
    Starter {
        id: "decay",
        name: "decay",
        call: None,
        description: "数值每回合自动衰减 (lets values such as satiety fall in every turn, down to a lowest value)",
        executor: include_str!("js/decay.js"),
    },
    Starter {
        id: "clamp",
        name: "clamp",
        call: None,
        description: "把数值限制在范围内 (keeps values within a range, whatever a reply did)",
        executor: include_str!("js/clamp.js"),
    },
    Starter {
        id: "count",
        name: "COUNT",
        call: Some(StarterCall {
            signature: r#"@.COUNT("path.to.counter", 1);"#, example: r#"@.COUNT("统计.击杀");"#
        }),
        description: "计数器加1或加指定的数",
        executor: include_str!("js/count.js"),
    },
    Starter {
        id: "stack",
        name: "STACK",
        call: Some(StarterCall {
            signature: r#"@.STACK("path.to.bag", "item", amount);"#,
            example: r#"@.STACK("背包", "治疗药水", -1);"#,
        }),
        description: "按数量增减背包物品，数量归零时移除",
        executor: include_str!("js/stack.js"),
    },
    Starter {
        id: "roll",
        name: "ROLL",
        call: Some(StarterCall {
            signature: r#"@.ROLL("path.to.result", "2d6+1");"#,
            example: r#"@.ROLL("检定.结果", "1d20+3");"#,
        }),
        description: "掷骰子并记录结果",
        executor: include_str!("js/roll.js"),
    },
];

/// Starters run behind what authors write without thinking of an order, in the order of the list: what limits comes last.
const STARTER_ORDER: i64 = 1_000;

fn starter(starter: &Starter) -> Shipped {
    let Starter { id, name, call, description, executor } = starter;
    let place = STARTERS.iter().position(|other| other.id == *id).unwrap_or_default();
    let function = LibraryFunction {
        name: (*name).to_owned(),
        kind: if call.is_some() { FunctionType::Active } else { FunctionType::Passive },
        order: STARTER_ORDER + i64::try_from(place).unwrap_or_default(),
        pattern: None,
        timing: call.is_none().then_some(Timing::AfterActive),
        description: (*description).to_owned(),
        signature: call.as_ref().map(|call| call.signature.to_owned()),
        example: call.as_ref().map(|call| call.example.to_owned()),
        executor: (*executor).to_owned(),
    };
    Shipped { id: format!("{STARTER_PREFIX}{id}"), builtin: false, function }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::id::Id;

    #[test]
    fn everything_shipped_is_a_function_with_an_id() {
        assert_eq!(shipped().iter().filter(|shipped| shipped.builtin).count(), 8);
        for shipped in shipped() {
            assert_eq!(shipped.function.check(), Ok(()), "{}", shipped.id);
            assert!(shipped.id.parse::<Id>().is_ok(), "{}", shipped.id);
            assert!(!shipped.function.description.is_empty(), "{}", shipped.id);
            assert_eq!(shipped.function.clone().tidied(), shipped.function);
        }
    }
}
