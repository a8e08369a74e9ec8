//! The rules of a story: when a state fits, which versions are needed, which variable wins, what a commit accepts.
#![allow(clippy::unwrap_used, missing_docs)]

mod state {
    use tavernkeep_engine::story::{Base, Inputs, Since, StaleReason};

    #[test]
    fn a_page_behind_one_without_a_state_never_fits() {
        let now = Inputs { base: Base::Unprocessed, text: Some([0; 16]), edits: None };
        assert_eq!(now.misfit(Some(&now)), Some(StaleReason::ParentChanged));
    }

    #[test]
    fn keyframes_come_after_half_a_document_or_many_changes() {
        let since = |changes, bytes| Since { changes, bytes };
        assert!(!since(1, 9_999).keyframe_is_due(20_000));
        assert!(since(1, 10_000).keyframe_is_due(20_000));
        assert!(since(24, 10).keyframe_is_due(20_000));
        assert!(!since(23, 10).keyframe_is_due(20_000));
        assert!(!since(5, 500).keyframe_is_due(100));
        assert_eq!(Since::default().and(3).and(4), since(2, 7));
    }
}

mod floor {
    use tavernkeep_engine::floor::FloorState;

    #[test]
    fn committed_and_failed_are_the_end() {
        for &next in FloorState::ALL {
            assert!(!FloorState::Committed.may_become(next));
            assert!(!FloorState::Failed.may_become(next));
        }
        assert!(!FloorState::Draft.may_become(FloorState::Committed));
    }

    #[test]
    fn a_lease_that_has_ended_means_failed() {
        assert_eq!(FloorState::Generating.at(Some(10), 9), FloorState::Generating);
        assert_eq!(FloorState::Generating.at(Some(10), 10), FloorState::Failed);
        assert_eq!(FloorState::Committed.at(Some(10), 11), FloorState::Committed);
    }
}

mod garbage {
    use tavernkeep_engine::garbage::{Node, find};

    fn turn(version: i64, parent: i64) -> Node {
        let parent = (parent > 0).then_some(parent);
        Node { version, parent, base: parent, is_root: false }
    }

    fn root(node: Node) -> Node {
        Node { is_root: true, ..node }
    }

    #[test]
    fn what_was_computed_anew_leaves_nothing_behind() {
        let nodes = [root(turn(1, 0)), turn(2, 1), turn(3, 2), root(turn(4, 1)), root(turn(5, 4))];
        assert_eq!(find(&nodes), [3, 2]);
        assert_eq!(find(&[]), [0; 0]);
    }

    #[test]
    fn what_a_state_came_from_stays_to_its_beginning() {
        let nodes = [turn(1, 0), turn(2, 1), turn(3, 2), root(turn(4, 3)), turn(5, 3)];
        assert_eq!(find(&nodes), [5]);
    }

    #[test]
    fn an_edit_keeps_what_it_started_from_and_what_its_page_stands_on() {
        let edit = |version, parent, base| Node { base: Some(base), ..turn(version, parent) };
        let nodes = [turn(1, 0), turn(2, 0), turn(3, 1), edit(4, 3, 1), root(edit(5, 3, 2))];
        assert_eq!(find(&nodes), [4]);
    }

    #[test]
    fn damage_loses_nothing_more() {
        assert_eq!(find(&[turn(2, 1), turn(3, 2), root(turn(4, 3))]), [0; 0]);
    }
}

mod resolve {
    use tavernkeep_engine::resolve::{Origin, Scoped, winners};
    use tavernkeep_engine::scope::Scope;

    #[derive(Debug, PartialEq, Clone)]
    struct Row(&'static str, Scope);

    impl Scoped for Row {
        fn key(&self) -> &str {
            self.0
        }
        fn scope(&self) -> Scope {
            self.1
        }
    }

    #[test]
    fn every_scope_beats_the_ones_before_it() {
        for (index, &strong) in Scope::ALL.iter().enumerate() {
            for &weak in &Scope::ALL[..index] {
                assert_eq!(winners(vec![Row("k", weak), Row("k", strong)]), [Row("k", strong)]);
                assert_eq!(winners(vec![Row("k", strong), Row("k", weak)]), [Row("k", strong)]);
            }
        }
    }

    #[test]
    fn what_is_computed_hides_every_scope() {
        struct Computed(Scope, Origin);
        impl Scoped for Computed {
            fn key(&self) -> &str {
                "k"
            }
            fn scope(&self) -> Scope {
                self.0
            }
            fn origin(&self) -> Origin {
                self.1
            }
        }
        let rows = vec![Computed(Scope::Page, Origin::Own), Computed(Scope::Global, Origin::Computed)];
        assert_eq!(winners(rows)[0].1, Origin::Computed);
        let rows = vec![Computed(Scope::Branch, Origin::Before), Computed(Scope::Branch, Origin::Own)];
        assert_eq!(winners(rows)[0].1, Origin::Own);
    }

    #[test]
    fn keys_come_sorted_by_bytes() {
        let rows = ["é", "b", "_z", "A", "a", "10", "9"].map(|key| Row(key, Scope::Chat)).to_vec();
        let keys: Vec<_> = winners(rows).into_iter().map(|row| row.0).collect();
        assert_eq!(keys, ["10", "9", "A", "_z", "a", "b", "é"]);
    }
}

mod staging {
    use tavernkeep_engine::floor::PageKind;
    use tavernkeep_engine::staging::{Candidate, Intent, StagedStatus};
    use tavernkeep_engine::stored_enum::StoredEnum as _;

    #[test]
    fn only_the_named_active_output_is_accepted() {
        let page = Candidate { kind: PageKind::Output, is_active: true, is_named: true };
        assert_eq!(page.gate(), Ok(()));
        assert_eq!(Candidate { kind: PageKind::Mixed, ..page }.gate(), Ok(()));
        let refused =
            |page: Candidate| page.gate().map_err(|(status, why)| (status.as_str(), why.code(), why.as_str()));
        assert_eq!(
            refused(Candidate { kind: PageKind::Input, ..page }),
            Err(("rejected", "source_page_not_output", "page_commit_gate_source_page_not_output"))
        );
        assert_eq!(
            refused(Candidate { is_active: false, ..page }),
            Err(("discarded", "source_page_not_active", "page_not_active_at_commit"))
        );
        assert_eq!(
            refused(Candidate { is_named: false, ..page }),
            Err(("discarded", "policy_forbidden", "page_not_accepted"))
        );
    }

    #[test]
    fn numbers_and_words_come_back() {
        for &status in StagedStatus::ALL {
            assert_eq!(StagedStatus::of_number(status.number()), Some(status));
            assert_eq!(status.as_str().parse(), Ok(status));
        }
        assert_eq!(Intent::of_number(5), None);
        assert_eq!("promote".parse::<Intent>(), Err(()));
    }
}
