// Functions and tools that come with the program, described in both languages. A copy that a person changed keeps its own words.

import type { Language } from "../lib/i18n.svelte.ts";

type Texts = Readonly<Record<Language, string>>;

const functions: Readonly<Record<string, Texts>> = {
  "builtin:SET": { en: "Sets a value", zh: "设置变量" },
  "builtin:ADD": { en: "Adds to a number", zh: "数值加法" },
  "builtin:SUB": { en: "Subtracts from a number", zh: "数值减法" },
  "builtin:APPEND": { en: "Adds an item to a list", zh: "数组追加" },
  "builtin:REMOVE": { en: "Removes an item of a list, by index or value", zh: "数组删除（按索引或值）" },
  "builtin:ASSIGN": { en: "Merges members into an object", zh: "对象合并" },
  "builtin:UNSET": { en: "Deletes a member", zh: "删除字段" },
  "builtin:TIME": { en: "Sets the time of the story", zh: "更新时间" },
  "starter:advance_time": { en: "Moves the time of the story on by an hour in every turn", zh: "每回合时间自动推进 1 小时" },
  "starter:decay": { en: "Lets values such as satiety fall in every turn, down to a lowest value", zh: "数值每回合自动衰减，不低于下限" },
  "starter:clamp": { en: "Keeps values within a range, whatever a reply did", zh: "把数值限制在范围内" },
  "starter:count": { en: "Adds one, or the number that is given, to a counter", zh: "计数器加 1 或加指定的数" },
  "starter:stack": { en: "Adds or takes items of the bag by number; at zero the item goes", zh: "按数量增减背包物品，数量归零时移除" },
  "starter:roll": { en: "Rolls dice and keeps the result", zh: "掷骰子并记录结果" },
};

const tools: Readonly<Record<string, Texts>> = {
  ListVars: { en: "Lists the variables of the scratchpad: name, length, description, type and tags.", zh: "列出便签变量：名称、长度、描述、类型和标签。" },
  ReadVar: { en: "Reads a variable of the scratchpad, whole or in part.", zh: "读取便签变量的全部或一部分。" },
  WriteVar: { en: "Makes a variable of the scratchpad, or changes parts of one that is there.", zh: "新建便签变量，或修改其中的一部分。" },
  RemoveVars: { en: "Removes variables of the scratchpad. Rules stay.", zh: "删除便签变量，规则会保留。" },
  get_state: { en: "Reads the state of the story.", zh: "读取故事状态。" },
  set_variable: { en: "Proposes a value for a variable. It counts when the reply is accepted.", zh: "提议变量的值，回复被接受时生效。" },
  query_history: { en: "Shows how a part of the story's state changed.", zh: "查看状态中某一部分的变化过程。" },
  datetime: { en: "Tells the date and the time.", zh: "返回日期和时间。" },
  calculate: { en: "Computes an arithmetic expression.", zh: "计算算术表达式。" },
  random: { en: "Draws whole numbers, from a seed if one is given.", zh: "抽取随机整数，可指定种子。" },
  JavaScript: { en: "Runs JavaScript in a sandbox without files, network and timers, and returns what the code returns.", zh: "在沙箱中运行 JavaScript（没有文件、网络和定时器），返回代码的结果。" },
  Shell: { en: "Runs a shell command on the server's machine.", zh: "在服务器上运行 shell 命令。" },
  FetchWebPage: { en: "Reads a page of the web as Markdown.", zh: "把网页读取为 Markdown。" },
  WebSearch: { en: "Searches the web.", zh: "搜索网页。" },
};

/** What a function that comes with the program does; undefined for others. */
export const shippedFunction = (id: string, language: Language): string | undefined => functions[id]?.[language];

/** What a tool does. One of an application may have the name of a shipped one, so its words must be those. */
export const toolText = (name: string, description: string, language: Language): string => (tools[name]?.en === description ? tools[name][language] : description);
