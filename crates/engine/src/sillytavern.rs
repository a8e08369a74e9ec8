//! Files of SillyTavern: chats as `.jsonl`, character cards as PNG or JSON, world books. They are read into what we have a field
//! for and a rest that is kept as it is, and written back from both.
//!
//! ```
//! use tavernkeep_engine::sillytavern::{ChatReader, Line};
//!
//! let mut chat = ChatReader::new(
//!     "{\"user_name\":\"Ann\",\"character_name\":\"Yuki\",\"chat_metadata\":{}}\n\
//!      {\"name\":\"Yuki\",\"is_user\":false,\"mes\":\"Good evening.\",\"send_date\":\"September 28, 2024 1:00am\"}"
//!         .as_bytes(),
//! )
//! .unwrap();
//! assert!(matches!(chat.next_line(), Ok(Some(Line::Header(_)))));
//! let Ok(Some(Line::Message(message))) = chat.next_line() else { panic!("a message") };
//! assert_eq!((message.role, message.swipes[0].text.as_str()), ("assistant", "Good evening."));
//! assert_eq!(message.swipes[0].sent_at, Some(1_727_485_200_000));
//! ```

mod base64;
mod card;
mod chat;
mod date;
mod functions;
mod message;
pub mod png;
mod states;
mod world;
mod written;

pub use self::base64::{NotBase64, decode as decode_base64, encode as encode_base64};
pub use card::{Card, CardError, CardFields, MVU_PROFILE, MVU_ZOD_PROFILE, read_card, read_card_file, write_card};
pub use chat::{ChatError, ChatErrorKind, ChatReader, Line, header_names, session_metadata};
pub use date::read_date;
pub use functions::CardFunction;
pub use message::{ChatMessage, ChatSwipe, KEY, StoredVariables};
pub use states::{Cause, StateDifference, explain};
pub use world::{Book, BookEntry, selected_books};
pub use written::{WrittenMessage, WrittenPage, header, message};
