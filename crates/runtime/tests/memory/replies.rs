//! Random replies with commands, each value with a token of its own, so that it can be found again.

use super::dice::Dice;

/// A text, and what its commands write and delete.
#[derive(Clone)]
pub struct Reply {
    pub text: String,
    pub from_user: bool,
    /// Tokens of the values that it writes.
    pub written: Vec<String>,
    /// Tokens of values that it deletes, if they are there.
    pub deleted: Vec<String>,
    /// Tokens of values that it protects.
    pub protected: Vec<String>,
}

impl Reply {
    pub fn of(text: &str) -> Reply {
        Reply {
            text: text.to_owned(),
            from_user: false,
            written: Vec::new(),
            deleted: Vec::new(),
            protected: Vec::new(),
        }
    }
}

#[derive(Default)]
pub struct Writer {
    tokens: usize,
    people: Vec<String>,
    items: Vec<String>,
    day: usize,
}

impl Writer {
    fn token(&mut self, reply: &mut Reply) -> String {
        self.tokens += 1;
        let token = format!("tok{}", self.tokens);
        reply.written.push(token.clone());
        token
    }

    pub fn reply(&mut self, dice: &mut Dice) -> Reply {
        let mut reply = Reply { from_user: dice.once_in(4), ..Reply::of("她说。") };
        for _ in 0..dice.below(4) {
            let command = self.command(dice, &mut reply);
            reply.text.push_str(&command);
            reply.text.push_str([" ", "\n", "// why\n", "，然后 "][dice.below(4)]);
        }
        if dice.once_in(5)
            && let Some(person) = self.people.last()
        {
            // A mention turns the light of the filter green.
            reply.text.push_str(&format!("p{person} 来了。"));
        }
        reply
    }

    fn command(&mut self, dice: &mut Dice, reply: &mut Reply) -> String {
        match dice.below(20) {
            0 | 1 => {
                let token = self.token(reply);
                format!("memory('summary.small', '日{}', '{token}');", dice.below(3))
            }
            2 => {
                let token = self.token(reply);
                format!("memory('summary.big', '章{}', '{{\"文\": \"{token}\"}}');", dice.below(3))
            }
            3 | 4 => {
                let token = self.token(reply);
                self.people.push(token.clone());
                let filter = if dice.once_in(2) { ", \"_filter\": true" } else { "" };
                let is_protected = dice.once_in(6);
                if is_protected {
                    reply.protected.push(token.clone());
                }
                let protected = if is_protected { ", \"_is_protected\": true" } else { "" };
                format!("*.memory('world_set.npc', 'p{token}', '{{\"名\": \"{token}\"{filter}{protected}}}');")
            }
            5 => match dice.pick(&(0..self.people.len()).collect::<Vec<_>>()) {
                Some(at) => {
                    let person = self.people[at].clone();
                    reply.deleted.push(person.clone());
                    format!("delete('world_set.npc', 'p{person}');")
                }
                None => "delete('world_set.npc', '没有');".to_owned(),
            },
            6 if dice.once_in(6) => "delete('world_set.npc', 'all');".to_owned(),
            6 if dice.once_in(6) => "delete('world_set.settings', 'all');".to_owned(),
            15 => match dice.pick(&(0..self.people.len()).collect::<Vec<_>>()) {
                // A person moves to the settings, or gets another name there or here.
                Some(at) => {
                    let person = &self.people[at];
                    let to = ["settings.p", "npc.q", "settings.q"][dice.below(3)];
                    format!("memory('world_set.npc.p{person}', 'world_set.{to}{person}');")
                }
                None => "memory('world_set.npc.没有', 'world_set.settings.没有');".to_owned(),
            },
            16 => {
                // Of a list only what is protected stays.
                let (first, second) = (self.token(reply), self.token(reply));
                reply.protected.push(first.clone());
                reply.deleted.push(second.clone());
                format!(
                    "memory('global_set.npc', 'l{first}', {{\"们\": [{{\"名\": \"{first}\", \"_is_protected\": true}}, \"{second}\", 1]}}); \
                     delete('global_set.npc', 'l{first}');"
                )
            }
            17 if dice.once_in(4) => {
                let (key, count) =
                    [("small_to_big_count", 6), ("clean_big_count", 5), ("hide_latest_count", 25)][dice.below(3)];
                format!("memory('config.{key}', {});", dice.below(count))
            }
            7 => {
                let token = self.token(reply);
                self.items.push(token.clone());
                format!("memory('global_set.背包.i{token}', {{\"num\": {}, 名: '{token}'}});", dice.below(3))
            }
            8 => match self.items.last() {
                Some(item) => format!("memory('global_set.背包.i{item}.num', 0)"),
                None => "memory('global_set.背包')".to_owned(),
            },
            9 => {
                self.day += dice.below(3);
                let (month, day) = (self.day / 28 % 12 + 1, self.day % 28 + 1);
                format!("set_status('日期', '{month:02}月{day:02}日');")
            }
            10 => format!("set_status('时间', '{:02}:{:02}');", dice.below(26), dice.below(60)),
            11 => format!("set_status('world_shard.task.time_limit', {});", dice.below(20)),
            12 => {
                let rate = i64::try_from(dice.below(9)).unwrap() - 4;
                format!("memory('map.主要地点表.地{}.resources.铁', ['{rate}/d', {}]);", dice.below(3), dice.below(50))
            }
            13 => {
                let attribute = ["生理属性.力量", "生理属性.耐力", "心智属性.感知", "互动属性.沉着"][dice.below(4)];
                format!("set_attribute('属性段.{attribute}.基础', 0, {});", dice.below(14))
            }
            14 => format!(
                "set_attribute('衍生属性段.生命值.当前', {}); set_status('检定难度', {});",
                dice.below(400),
                dice.below(20)
            ),
            _ => ["set_status('没有', 1);", "memory('a', );", "delete('config.flags');", "set_status('天气', '雨"]
                [dice.below(4)]
            .to_owned(),
        }
    }
}
