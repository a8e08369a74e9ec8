//! What branches show of promoted values, compared with a naive model in which a fork really is a deep copy.

use crate::support::{Client, both, branch};
use serde_json::{Value, json};

#[derive(Clone, Debug)]
struct Page {
    name: String,
    is_active: bool,
    /// The tick of its commit.
    tick: Option<u64>,
}

#[derive(Clone, Debug)]
struct Floor {
    floor_no: i64,
    pages: Vec<Page>,
    /// The tick that forks of it read values as of.
    tick: u64,
}

/// A value with the page that promoted it, if one did. Without a value the key was deleted.
#[derive(Clone, Debug)]
struct Said {
    tick: u64,
    page: Option<String>,
    value: Option<i64>,
}

#[derive(Clone, Debug)]
struct Line {
    /// Names are given again while their lines are in the trash.
    key: u64,
    name: String,
    floors: Vec<Floor>,
    said: Vec<Said>,
}

impl Line {
    fn page(&self, name: &str) -> Option<&Page> {
        self.floors.iter().flat_map(|floor| &floor.pages).find(|page| page.name == name)
    }

    fn shown(&self) -> Option<i64> {
        let counts =
            |said: &&Said| said.page.as_ref().is_none_or(|page| self.page(page).is_some_and(|page| page.is_active));
        self.said.iter().filter(counts).max_by_key(|said| said.tick)?.value
    }

    fn forked(&self, key: u64, name: &str, floors: usize, tick: Option<u64>) -> Line {
        let floors = self.floors[..floors].to_vec();
        let mut line = Line { key, name: name.to_owned(), floors, said: Vec::new() };
        let is_seen = |said: &&Said| match &said.page {
            None => tick.is_some_and(|tick| said.tick <= tick),
            Some(page) => line.page(page).is_some(),
        };
        line.said = self.said.iter().filter(is_seen).cloned().collect();
        line
    }

    fn activate(&mut self, floor: usize, page: usize) {
        let floor = &mut self.floors[floor];
        if !floor.pages[page].is_active {
            floor.pages.iter_mut().for_each(|page| page.is_active = false);
            floor.pages[page].is_active = true;
            floor.tick = floor.pages[page].tick.unwrap_or(floor.tick);
        }
    }
}

/// What is in the trash: a floor and the line that it was on, or a line.
enum Deleted {
    Floor(u64, Floor, String),
    Line(Line, String),
}

struct Story<'a> {
    client: &'a Client,
    seed: u64,
    /// Counts ticks and names.
    count: u64,
    lines: Vec<Line>,
    trash: Vec<Deleted>,
}

/// What a copy is a copy of.
fn root(id: &str) -> &str {
    id.split("~~").next().unwrap_or(id)
}

impl Story<'_> {
    fn below(&mut self, bound: usize) -> usize {
        self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.seed >> 33) as usize % bound
    }

    fn next(&mut self) -> u64 {
        self.count += 1;
        self.count
    }

    /// The id of a floor on a line, and whether the line shares it.
    fn floor(&self, line: &Line, floor: usize) -> (String, bool) {
        let path = format!("/sessions/s/transcript?branch_id={}&limit=100", line.name);
        let floors = self.client.get(&path).is(200).data();
        let floors = floors.as_array().expect("a list");
        assert_eq!(floors.len(), line.floors.len(), "floors of {}", line.name);
        let found = &floors[floor];
        assert_eq!(found["floor_no"], line.floors[floor].floor_no);
        (found["floor_id"].as_str().expect("an id").to_owned(), found["shared"] == true)
    }

    fn page(&self, floor: &str, page: &str) -> String {
        let pages = self.client.get(&format!("/pages?floor_id={floor}&limit=100")).is(200).column("id");
        let mut ids = pages.iter().filter_map(Value::as_str);
        ids.find(|id| root(id) == page).unwrap_or_else(|| panic!("{page} on {floor}: {pages:?}")).to_owned()
    }

    fn some_floor(&mut self) -> Option<(usize, usize)> {
        let line = self.below(self.lines.len());
        let floors = self.lines[line].floors.len();
        (floors > 0).then(|| (line, self.below(floors)))
    }

    /// Stages a value or a deletion, or nothing.
    fn staged(&mut self, page: &str) -> Option<Option<i64>> {
        let value = match self.below(6) {
            0 => return None,
            1 => None,
            _ => Some(self.below(1000) as i64),
        };
        let mut write = json!({"key": "gold", "op": "delete", "intent": "promote_to_branch_on_accept"});
        if let Some(value) = value {
            (write["op"], write["value"]) = ("set".into(), value.into());
        }
        self.client.post(&format!("/pages/{page}/variables/staged"), write).is(201);
        Some(value)
    }

    fn committed(&mut self, line: usize, floor: usize, page: &str, staged: Option<Option<i64>>) {
        let tick = self.next();
        let line = &mut self.lines[line];
        line.floors[floor].tick = tick;
        let found = line.floors[floor].pages.iter_mut().find(|other| other.name == page).expect("a page");
        found.tick = Some(tick);
        if let Some(value) = staged {
            line.said.push(Said { tick, page: Some(page.to_owned()), value });
        }
    }

    fn new_floor(&mut self) {
        let line = self.below(self.lines.len());
        let (number, name) = (self.next(), self.lines[line].name.clone());
        let (id, page) = (format!("f{number}"), format!("p{number}"));
        let floor_no = self.lines[line].floors.last().map_or(0, |last| last.floor_no + 1);
        self.client.make_floor("s", &id, json!({"branch_id": name, "floor_no": floor_no}));
        self.client.make_page(&id, &page, json!({"content": page}));
        self.client.post(&format!("/floors/{id}/generate"), json!({})).is(200);
        let staged = self.staged(&page);
        self.client.post(&format!("/floors/{id}/commit"), json!({"page_id": page})).is(200);
        let pages = vec![Page { name: page.clone(), is_active: true, tick: None }];
        self.lines[line].floors.push(Floor { floor_no, pages, tick: 0 });
        let floor = self.lines[line].floors.len() - 1;
        self.committed(line, floor, &page, staged);
    }

    fn new_swipe(&mut self) {
        let Some((line, floor)) = self.some_floor() else { return };
        let (id, is_shared) = self.floor(&self.lines[line], floor);
        if is_shared {
            return;
        }
        let page = format!("p{}", self.next());
        self.client.make_page(&id, &page, json!({"content": page}));
        let pages = &mut self.lines[line].floors[floor].pages;
        pages.iter_mut().for_each(|page| page.is_active = false);
        pages.push(Page { name: page.clone(), is_active: true, tick: None });
        if self.below(4) > 0 {
            let staged = self.staged(&page);
            self.client.post(&format!("/floors/{id}/commit"), json!({"page_id": page})).is(200);
            self.committed(line, floor, &page, staged);
        }
    }

    fn activate(&mut self) {
        let Some((line, floor)) = self.some_floor() else { return };
        let page = self.below(self.lines[line].floors[floor].pages.len());
        let (id, _) = self.floor(&self.lines[line], floor);
        let id = self.page(&id, &self.lines[line].floors[floor].pages[page].name);
        let path = format!("/pages/{id}/activate?branch_id={}", self.lines[line].name);
        self.client.post(&path, json!({})).is(200);
        self.lines[line].activate(floor, page);
    }

    fn fork(&mut self) {
        let Some((line, floor)) = self.some_floor() else { return };
        let (id, is_shared) = self.floor(&self.lines[line], floor);
        // Forked from a floor that it shares, it would be a fork of the other line.
        if is_shared || self.lines.len() > 8 {
            return;
        }
        let key = self.next();
        let name = format!("k{key}");
        let is_named = self.below(3) == 0;
        let page = self.below(self.lines[line].floors[floor].pages.len());
        let of = &self.lines[line].floors[floor];
        let mut body = json!({"branch_id": name});
        let mut tick = of.tick;
        if is_named {
            body["page_id"] = self.page(&id, &of.pages[page].name).into();
            if !of.pages[page].is_active {
                tick = of.pages[page].tick.unwrap_or(tick);
            }
        }
        self.client.post(&format!("/floors/{id}/branch"), body).is(201);
        let mut fork = self.lines[line].forked(key, &name, floor + 1, Some(tick));
        if is_named {
            fork.activate(floor, page);
        }
        self.lines.push(fork);
    }

    fn say(&mut self) {
        let line = self.below(self.lines.len());
        let (tick, value) = (self.next(), self.below(1000) as i64);
        let name = self.lines[line].name.clone();
        let is_there = self.lines[line].shown().is_some();
        let value = if is_there && self.below(3) == 0 {
            let path = format!("/variables?scope=branch&session_id=s&branch_id={name}&key=gold");
            self.client.delete(&path).is(200);
            None
        } else {
            self.client.set(branch("s", &name), "gold", value).is_one_of(&[200, 201]);
            Some(value)
        };
        self.lines[line].said.push(Said { tick, page: None, value });
    }

    fn delete(&mut self) {
        let Some((line, floor)) = self.some_floor() else { return };
        let name = self.lines[line].name.clone();
        if self.below(3) == 0 && name != "main" {
            let answer = self.client.delete(&format!("/branches/{name}?session_id=s"));
            let trash = answer.is(200).header("trash-id");
            self.trash.push(Deleted::Line(self.lines.remove(line), trash));
            return;
        }
        let (id, _) = self.floor(&self.lines[line], floor);
        let trash = self.client.delete(&format!("/floors/{id}?branch_id={name}")).is(200).header("trash-id");
        let floor = self.lines[line].floors.remove(floor);
        self.trash.push(Deleted::Floor(self.lines[line].key, floor, trash));
    }

    fn restore(&mut self) {
        if self.trash.is_empty() {
            return;
        }
        let at = self.below(self.trash.len());
        match self.trash.remove(at) {
            Deleted::Line(mut line, trash) => {
                let restored = self.client.post(&format!("/trash/{trash}/restore"), json!({})).is(200).data();
                line.name = restored["branch_id"].as_str().expect("a name").to_owned();
                self.lines.push(line);
            }
            Deleted::Floor(key, floor, trash) => {
                // Where its line is gone, another test says where it goes.
                let Some(line) = self.lines.iter().position(|line| line.key == key) else { return };
                self.restore_floor(line, floor, &trash);
            }
        }
    }

    fn restore_floor(&mut self, line: usize, floor: Floor, trash: &str) {
        let before = self.lines[line].floors.iter().filter(|other| other.floor_no < floor.floor_no).count();
        let is_taken = self.lines[line].floors.iter().any(|other| other.floor_no == floor.floor_no);
        if is_taken && before > 0 && self.floor(&self.lines[line], before - 1).1 {
            return;
        }
        let restored = self.client.post(&format!("/trash/{trash}/restore"), json!({})).is(200).data();
        let restored = &restored["branches"][0];
        assert_eq!(restored["new_branch"] == true, is_taken, "{restored}");
        if !is_taken {
            self.lines[line].floors.insert(before, floor);
            return;
        }
        let (key, name) = (self.next(), restored["branch_id"].as_str().expect("a name"));
        let source = &mut self.lines[line];
        let tick = before.checked_sub(1).map(|last| source.floors[last].tick);
        let mut new = source.forked(key, name, before, tick);
        let is_moved =
            |said: &Said| said.page.as_ref().is_some_and(|name| floor.pages.iter().any(|page| page.name == *name));
        new.said.extend(source.said.iter().filter(|said| is_moved(said)).cloned());
        source.said.retain(|said| !is_moved(said));
        new.floors.push(floor);
        self.lines.push(new);
    }

    fn compare(&self, what: &str) {
        for line in &self.lines {
            let path = format!("/variables/resolve?session_id=s&branch_id={}&keys=gold", line.name);
            let seen = self.client.get(&path).is(200).data()["resolved"][0]["value"].as_i64();
            assert_eq!(seen, line.shown(), "after {what}: {line:#?}");
        }
    }
}

#[test]
fn forks_show_what_deep_copies_show() {
    let number = |name: &str, usual: u64| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual);
    let (first, steps) = (number("TAVERNKEEP_TEST_SEED", 1), number("TAVERNKEEP_TEST_OPERATIONS", 100));
    for seed in first..first + 2 {
        both(|client| {
            client.make_session("s");
            let main = Line { key: 0, name: "main".to_owned(), floors: Vec::new(), said: Vec::new() };
            let mut story = Story { client, seed, count: 0, lines: vec![main], trash: Vec::new() };
            for step in 0..steps {
                type Act = for<'a, 'b> fn(&'a mut Story<'b>);
                let (what, act): (&str, Act) = match story.below(20) {
                    0..5 => ("a floor", |story| story.new_floor()),
                    5..8 => ("a swipe", |story| story.new_swipe()),
                    8..12 => ("a choice", |story| story.activate()),
                    12..15 => ("a fork", |story| story.fork()),
                    15 => ("a value", |story| story.say()),
                    16..18 => ("a deletion", |story| story.delete()),
                    _ => ("a restore", |story| story.restore()),
                };
                client.case(&format!("seed {seed}, step {step}: {what}"));
                act(&mut story);
                story.compare(&format!("seed {seed}, step {step}: {what}"));
            }
        });
    }
}
