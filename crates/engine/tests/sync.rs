//! Sync: whatever two chats are, the plan leads from the one to the other and leaves alone what is the same.

#![allow(clippy::expect_used)]

use proptest::collection::vec;
use proptest::prelude::*;
use tavernkeep_engine::sync::{Message, Plan, Speaker, Swipe, numbers, plan};

fn speaker(role: &str) -> Speaker {
    Speaker { role: Some(role.to_owned()), name: None }
}

fn said(role: &str, texts: &[u8], active: usize) -> Message {
    let swipes = texts.iter().map(|&text| Swipe { text: [text; 16], speaker: speaker(role) }).collect();
    Message { swipes, active }
}

/// Few texts, so that the same ones come again.
fn message() -> impl Strategy<Value = Message> {
    let role = prop::sample::select(vec!["user", "assistant"]);
    (role, vec(0_u8..12, 1..4), any::<prop::sample::Index>())
        .prop_map(|(role, texts, active)| said(role, &texts, active.index(texts.len())))
}

/// Messages that are all different.
fn distinct(count: usize) -> Vec<Message> {
    (0..count).map(|number| said(["user", "assistant"][number % 2], &[u8::try_from(number).unwrap_or(0)], 0)).collect()
}

/// Chats that are longer than what is compared message by message, all of whose messages differ.
fn long(count: usize, role: &str) -> Vec<Message> {
    let text = |number: usize| u128::try_from(number).expect("small").to_le_bytes();
    let swipe = |number: usize| Swipe { text: text(number), speaker: speaker(role) };
    (0..count).map(|number| Message { swipes: vec![swipe(number)], active: 0 }).collect()
}

/// Another swipe on every message, all of them new.
fn swiped(mut chat: Vec<Message>, is_active: bool) -> Vec<Message> {
    for (number, message) in chat.iter_mut().enumerate() {
        let mut other = message.swipes[0].clone();
        other.text = u128::try_from(1_000_000 + number).expect("small").to_le_bytes();
        message.swipes.push(other);
        message.active = usize::from(is_active);
    }
    chat
}

/// Does what a plan says. What is taken from the stored chat is taken as it is, so a plan that claims too much shows.
fn applied(server: &[Message], client: &[Message], plan: &Plan) -> Vec<Message> {
    let mut chat = Vec::new();
    for (step, wanted) in plan.messages.iter().zip(client) {
        let stored = step.from.map(|at| &server[at]);
        let mut swipes = Vec::new();
        for (step, wanted) in step.swipes.iter().zip(&wanted.swipes) {
            let mut swipe = wanted.clone();
            if let (Some(at), Some(stored)) = (step.from, stored) {
                swipe = stored.swipes[at].clone();
                swipe.text = if step.text { wanted.text } else { swipe.text };
                swipe.speaker = if step.speaker { wanted.speaker.clone() } else { swipe.speaker };
            }
            swipes.push(swipe);
        }
        let kept = stored.and_then(|stored| step.swipes.iter().position(|swipe| swipe.from == Some(stored.active)));
        let active = if step.activates { Some(wanted.active) } else { kept };
        chat.push(Message { swipes, active: active.expect("the swipe that counted is still there") });
    }
    chat
}

/// Every stored message and swipe is used once or goes; what is not moved stays in order.
fn is_sound(server: &[Message], client: &[Message], plan: &Plan) {
    assert_eq!(plan.messages.len(), client.len());
    let mut places: Vec<usize> = plan.messages.iter().filter_map(|step| step.from).collect();
    places.extend(&plan.deleted);
    places.sort_unstable();
    assert_eq!(places, (0..server.len()).collect::<Vec<_>>());
    let in_order: Vec<usize> = plan.messages.iter().filter(|step| !step.moved).filter_map(|step| step.from).collect();
    assert!(in_order.is_sorted(), "{in_order:?}");
    for step in &plan.messages {
        let mut places: Vec<usize> = step.swipes.iter().filter_map(|swipe| swipe.from).collect();
        places.extend(&step.deleted);
        places.sort_unstable();
        let count = step.from.map_or(0, |at| server[at].swipes.len());
        assert_eq!(places, (0..count).collect::<Vec<_>>());
        let in_order: Vec<usize> = step.swipes.iter().filter(|swipe| !swipe.moved).filter_map(|it| it.from).collect();
        assert!(in_order.is_sorted(), "{in_order:?}");
    }
}

/// How many messages are not as they were, those that went included.
fn touched(plan: &Plan) -> usize {
    plan.messages.iter().filter(|step| !step.is_nothing()).count() + plan.deleted.len()
}

proptest! {
    #[test]
    fn a_plan_leads_from_one_chat_to_the_other(server in vec(message(), 0..24), client in vec(message(), 0..24)) {
        let plan = plan(&server, &client);
        is_sound(&server, &client, &plan);
        let chat = applied(&server, &client, &plan);
        prop_assert_eq!(&chat, &client);
        prop_assert!(tavernkeep_engine::sync::plan(&chat, &client).is_nothing());
    }

    #[test]
    fn the_same_chat_needs_nothing(chat in vec(message(), 0..40)) {
        prop_assert!(plan(&chat, &chat).is_nothing());
    }

    #[test]
    fn what_is_equal_at_both_ends_is_left_alone(
        head in vec(message(), 0..10), tail in vec(message(), 0..10),
        old in vec(message(), 0..5), new in vec(message(), 0..5),
    ) {
        let chat = |middle: &[Message]| [&head[..], middle, &tail[..]].concat();
        let plan = plan(&chat(&old), &chat(&new));
        prop_assert!(touched(&plan) <= old.len() + new.len());
        for at in 0..head.len() {
            prop_assert!(plan.messages[at].is_nothing() && plan.messages[at].from == Some(at));
        }
    }

    #[test]
    fn one_change_touches_one_message(count in 1_usize..60, at in any::<prop::sample::Index>(), which in 0..5) {
        let server = distinct(count);
        let at = at.index(count);
        let mut client = server.clone();
        match which {
            0 => drop(client.remove(at)),
            1 => client.insert(at, said("user", &[200], 0)),
            2 => client[at].swipes[0].text = [201; 16],
            3 => client[at].swipes.push(Swipe { text: [202; 16], speaker: speaker("assistant") }),
            _ => client[at].swipes[0].speaker = speaker("system"),
        }
        let plan = plan(&server, &client);
        prop_assert_eq!(touched(&plan), 1);
        prop_assert_eq!(applied(&server, &client, &plan), client);
    }

    #[test]
    fn a_message_that_moved_is_the_same_message(count in 2_usize..40, from in any::<prop::sample::Index>(), to in any::<prop::sample::Index>()) {
        let server = distinct(count);
        let mut client = server.clone();
        let message = client.remove(from.index(count));
        client.insert(to.index(count), message);
        let plan = plan(&server, &client);
        prop_assert!(plan.deleted.is_empty());
        prop_assert!(plan.messages.iter().filter(|step| step.moved).count() <= 1);
        prop_assert!(plan.messages.iter().all(|step| step.swipes.iter().all(|swipe| !swipe.text && !swipe.speaker)));
    }

    #[test]
    fn numbers_rise_and_change_as_few_as_they_must(kept in vec(any::<bool>(), 0..30), first in 0_i64..5) {
        // What has a number has rising ones, with gaps.
        let mut last = first;
        let kept: Vec<Option<i64>> = kept.iter().map(|&keeps| { last += 2; keeps.then_some(last) }).collect();
        let numbers = numbers(&kept, first);
        prop_assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]));
        prop_assert!(numbers.first().is_none_or(|&number| number >= first));
        prop_assert!(kept.iter().zip(&numbers).all(|(kept, &number)| kept.is_none_or(|kept| kept == number)));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn long_chats_are_recognised_by_any_text(
        count in 510_usize..1_500, gone in vec(any::<prop::sample::Index>(), 0..4),
        added in vec(any::<prop::sample::Index>(), 0..4), is_active in any::<bool>(), other_role in any::<bool>(),
    ) {
        let server = long(count, "assistant");
        let mut client = swiped(long(count, if other_role { "user" } else { "assistant" }), is_active);
        for at in &gone {
            client.remove(at.index(client.len()));
        }
        for (number, at) in added.iter().enumerate() {
            client.insert(at.index(client.len()), said("system", &[u8::try_from(200 + number).unwrap_or(0)], 0));
        }
        let plan = plan(&server, &client);
        is_sound(&server, &client, &plan);
        prop_assert_eq!(&applied(&server, &client, &plan), &client);
        prop_assert_eq!((plan.deleted.len(), plan.messages.iter().filter(|step| step.from.is_none()).count()), (gone.len(), added.len()));
        for (step, wanted) in plan.messages.iter().zip(&client) {
            prop_assert!(!step.moved);
            prop_assert!(step.from.is_none_or(|at| server[at].swipes[0].text == wanted.swipes[0].text));
        }
    }
}

#[test]
fn the_longest_chats_are_planned_without_comparing_everything() {
    let server = long(20_000, "assistant");
    let mut client = swiped(server.clone(), true);
    client.remove(10);
    assert_eq!(plan(&server, &client).deleted, [10]);
    // Nothing in common, not even the role: all of it goes, and all of it is new.
    let mut client = long(20_000, "user");
    client.iter_mut().for_each(|message| message.swipes[0].text[15] = 1);
    let plan = plan(&server, &client);
    assert_eq!((plan.deleted.len(), plan.messages.iter().filter(|step| step.from.is_none()).count()), (20_000, 20_000));
}

#[test]
fn names_that_the_client_leaves_out_do_not_matter() {
    let named = |name: Option<&str>| {
        let mut message = said("assistant", &[1], 0);
        message.swipes[0].speaker.name = name.map(str::to_owned);
        message
    };
    assert!(plan(&[named(Some("Yuki"))], &[named(None)]).is_nothing());
    assert!(!plan(&[named(None)], &[named(Some("Yuki"))]).is_nothing());
    assert!(!plan(&[named(Some("Mara"))], &[named(Some("Yuki"))]).is_nothing());
}

#[test]
fn a_swipe_follows_its_text() {
    let plan = plan(&[said("assistant", &[1, 2, 3], 1)], &[said("assistant", &[2, 3], 0)]);
    assert_eq!(plan.messages[0].deleted, [0]);
    assert_eq!(plan.messages[0].swipes.iter().map(|swipe| swipe.from).collect::<Vec<_>>(), [Some(1), Some(2)]);
    assert!(!plan.messages[0].activates);
}

#[test]
fn a_stored_message_without_texts_goes() {
    let empty = Message { swipes: Vec::new(), active: 0 };
    let plan = plan(&[empty], &[said("user", &[1], 0)]);
    assert_eq!((plan.deleted.as_slice(), plan.messages[0].from), ([0].as_slice(), None));
}
