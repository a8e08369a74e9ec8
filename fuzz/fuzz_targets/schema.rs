//! Any schema, ours and MVU's, over any reply.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tavernkeep_engine::document::Value;
use tavernkeep_engine::mvu::{MvuSchema, import};
use tavernkeep_engine::profile::Profile;
use tavernkeep_engine::schema::Schema;
use tavernkeep_engine::turn::{Turn, apply_reply};

fuzz_target!(|input: (&str, &str)| {
    let Ok(value) = Value::parse(input.0) else { return };
    let imported = import(&value);
    let turn = Turn { document: imported.state, reply: input.1.to_owned(), ..Turn::default() };
    let mvu_schema = MvuSchema::from_value(&value).or(Some(imported.schema));
    apply_reply(Turn { mvu_schema, profile: Profile::named("mvu").expect("a profile of ours"), ..turn.clone() });
    if let Ok(schema) = Schema::read(&value) {
        apply_reply(Turn { schema: Some(schema), ..turn });
    }
});
