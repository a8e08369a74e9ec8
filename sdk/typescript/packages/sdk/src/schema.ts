// Generated from openapi.json by `npm run generate`. Do not edit.
import type { Json, JsonObject } from "./json.js";

export interface paths {
    "/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A page for people
         * @description A browser is sent on to the console, if the server was built with it.
         */
        get: operations["get_home"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/account": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the account */
        get: operations["get_account"];
        put?: never;
        post?: never;
        /**
         * Delete the account
         * @description Everything in it goes with it, its keys too. `confirm` must be the account's id.
         */
        delete: operations["delete_account"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/account/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export the account
         * @description Everything it holds, one JSON object per line: `{"kind": "variable" | "character" | "character_card" | "global_snapshot" | "session" |
         *     "branch" | "floor" | "page" | "staged_writes" | "recipe" | "snapshot", "data": …}`. A session comes with its template, and
         *     a snapshot with its state, whether it was edited by hand, and the recipe it was computed with. Each session is as it was at
         *     one moment; its snapshots follow, some at a time.
         */
        get: operations["export_account"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/apply": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Apply a reply
         * @description A dry run: finds the commands in the reply, applies them to the state and answers with the new state, the change and
         *     what came of each command. Nothing is read or written. A bad reply is no error: the response lists its problems.
         */
        post: operations["apply_reply"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/approvals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List pending approvals of all sessions
         * @description The oldest first, each with its session.
         */
        get: operations["list_all_approvals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/approvals/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Decide about an approval
         * @description An approved call runs at once, with the arguments that were approved; the response is the call. Deny rules count for edited arguments
         *     too. A rejected result is deleted.
         */
        post: operations["decide_approval"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/branches/{branch_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a branch
         * @description Its floors, pages and all their variables go with it, to the trash. Branches that were forked from it stay as they are. `main`
         *     is protected.
         */
        delete: operations["delete_branch"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/browsers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the browsers that are signed in
         * @description An admin sees those of the account, others those of their own key.
         */
        get: operations["list_browsers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/browsers/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Sign a browser out
         * @description From its next request on.
         */
        delete: operations["sign_out_browser"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/calls/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a call */
        get: operations["get_call"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/calls/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a call
         * @description A pending approval is rejected; a tool that runs is stopped as far as it can be.
         */
        post: operations["cancel_call"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/calls/{id}/result": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Return the result of a client's call
         * @description For a call that is `awaiting_client`. The result takes the same way as that of any tool.
         */
        post: operations["return_call"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/characters": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List characters
         * @description Without their templates, profiles and greetings.
         */
        get: operations["list_characters"];
        put?: never;
        /**
         * Create a character
         * @description Its sessions take its template and its profile unless they have their own.
         */
        post: operations["create_character"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/characters/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a character */
        get: operations["get_character"];
        put?: never;
        post?: never;
        /**
         * Delete a character
         * @description Its sessions stay and go on with the template and the profile that it had. It goes to the trash, and its id is free.
         */
        delete: operations["delete_character"];
        options?: never;
        head?: never;
        /**
         * Change a character
         * @description States that were computed with another profile or template are outdated, not stale.
         */
        patch: operations["update_character"];
        trace?: never;
    };
    "/characters/{id}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export a character as a card
         * @description The card that was imported with what has become of the character since; a new one for a character that was made here.
         */
        get: operations["export_character"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/characters/{id}/template": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a character's template */
        get: operations["get_template"];
        /**
         * Replace a character's template
         * @description States that come from the old one are outdated, not stale.
         */
        put: operations["put_template"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/compare": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Compare two states
         * @description Of pages, which may be swipes of one floor, of floors, of branches, of snapshots.
         */
        get: operations["compare_states"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The page that shows this document
         * @description Redirects to `/docs/`.
         */
        get: operations["get_docs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Listen to events
         * @description A stream of Server-Sent Events: what happens in the account, in a session or on a branch, in order, none skipped and
         *     none twice. Each has an `id` (opaque), an `event` (its name) and `data` (one line of JSON). The first is `ready`: its
         *     `id` is the position where the stream begins, and only events after that position follow. A client that sends the `id`
         *     of the last event it has seen, in the header `Last-Event-ID` or as `last_event_id`, continues after that event; `0-0`
         *     begins with the oldest event that is kept. Without an id the stream begins with the next event: nothing that was
         *     stored before the request is sent, and everything that is stored after the headers of the response arrive is. Comments
         *     are heartbeats and the reason why a stream ends.
         *
         *     The stream of a session ends behind `session.deleted`, that of a branch also behind `branch.deleted`. The events of a
         *     session are deleted with it: a client that has not read them by then gets `session.deleted` only.
         */
        get: operations["listen"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/floors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the floors of a session
         * @description They are sorted by branch, then position.
         */
        get: operations["list_floors"];
        put?: never;
        /**
         * Create a floor
         * @description A new `branch_id` registers the branch.
         */
        post: operations["create_floor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/floors/batch/delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Delete many floors
         * @description One that does not exist gets `"deleted": false`.
         */
        post: operations["delete_floors"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/floors/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a floor */
        get: operations["get_floor"];
        put?: never;
        post?: never;
        /**
         * Delete a floor
         * @description Its pages and their variables go with it; branch and chat variables stay.
         */
        delete: operations["delete_floor"];
        options?: never;
        head?: never;
        /**
         * Change a floor
         * @description The state cannot be changed here; use `generate`, `commit` and `fail`.
         */
        patch: operations["update_floor"];
        trace?: never;
    };
    "/floors/{id}/branch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Fork a branch
         * @description The floor must be committed. The new branch is a copy of the line up to it: what happens on one never changes the other.
         */
        post: operations["fork_branch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/floors/{id}/change": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what a floor changed
         * @description The change of its story page, as it was recorded. With `include_commands` it has the commands of the text.
         */
        get: operations["get_floor_change"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/floors/{id}/commit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Commit a floor
         * @description What comes after it is processed, for a second at most and then as a job.
         */
        post: operations["commit_floor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/floors/{id}/fail": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Fail a floor */
        post: operations["fail_floor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/floors/{id}/generate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start generating
         * @description The floor becomes `generating` until it is committed or failed, or its lease ends.
         */
        post: operations["generate_floor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List functions
         * @description The library of a scope: the built-in functions, the starters, then what authors wrote, in the order in which it runs. Each
         *     function says what it gets in the way of.
         */
        get: operations["list_functions"];
        put?: never;
        /**
         * Create a function
         * @description It counts for the next turn. States that were computed without it are outdated, not stale.
         */
        post: operations["create_function"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Export functions
         * @description `data` is a file that `POST /functions/import` takes.
         */
        post: operations["export_functions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Import functions
         * @description A file, or the whole answer of `POST /functions/export`, which has the file as `data`. All functions of the file or none; they
         *     get new ids and are disabled. Code that cannot be compiled is imported too, and `code_error` says what is wrong with it.
         */
        post: operations["import_functions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/prompt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the prompt of functions
         * @description What a model must know to call them: the enabled active functions of the scope, for a character with those of the account and
         *     without those whose calls its profile does not read.
         */
        get: operations["function_prompt"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/reorder": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reorder functions
         * @description All functions that authors wrote in the scope, each once: they get the orders 1, 2, 3 and so on.
         */
        post: operations["reorder_functions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Try functions out
         * @description Runs functions on a text and a state and answers with the new state and with every call. Nothing is read or written.
         */
        post: operations["test_functions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a function
         * @description Of a function that comes with the program `scope` says in which library it is meant.
         */
        get: operations["get_function"];
        put?: never;
        post?: never;
        /** Delete a function */
        delete: operations["delete_function"];
        options?: never;
        head?: never;
        /**
         * Change a function
         * @description A function that comes with the program can only be switched on and off, in the scope that the request names. A built-in
         *     function that is off for the account is off for all characters.
         */
        patch: operations["update_function"];
        trace?: never;
    };
    "/functions/{id}/copy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Copy a function
         * @description Also one that comes with the program: the copy can be changed. It is disabled.
         */
        post: operations["copy_function"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/functions/{id}/move": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Move a function
         * @description To another scope; everything else stays as it is.
         */
        post: operations["move_function"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/global-snapshots": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List global snapshots
         * @description Without their documents.
         */
        get: operations["list_global_snapshots"];
        put?: never;
        /**
         * Make a global snapshot
         * @description From a document, or from the state that a page or a snapshot has now.
         */
        post: operations["create_global_snapshot"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/global-snapshots/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a global snapshot */
        get: operations["get_global_snapshot"];
        put?: never;
        post?: never;
        /**
         * Delete a global snapshot
         * @description It goes to the trash, and its id is free.
         */
        delete: operations["delete_global_snapshot"];
        options?: never;
        head?: never;
        /** Change a global snapshot */
        patch: operations["update_global_snapshot"];
        trace?: never;
    };
    "/global-snapshots/{id}/apply": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give a page the state of a global snapshot
         * @description Recorded as an edit by hand of the page's snapshot, which keeps its id; what follows on the branch is processed at once. A
         *     page that was never processed is processed before.
         */
        post: operations["apply_global_snapshot"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check the health of the server
         * @description Includes the database.
         */
        get: operations["get_health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Import a file
         * @description A chat file of SillyTavern (`.jsonl`) becomes a session, a character card (PNG or JSON) a character. The file is checked before
         *     anything is written, and what it becomes is visible at once or not at all. What there is no field for is kept and comes back when
         *     the chat or the card is exported. A chat is processed afterwards, as after a sync; states that MVU stored with it are
         *     compared with ours and kept.
         *
         *     The same file again is refused (`409 import_exists`) unless `if_exists` says what to do.
         */
        post: operations["import_file"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List jobs
         * @description Those that have ended too, for a week.
         */
        get: operations["list_jobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a job */
        get: operations["get_job"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a job
         * @description A deletion cannot be cancelled: its rows are hidden already.
         */
        post: operations["cancel_job"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List keys
         * @description Revoked and expired ones too, never with their secrets.
         */
        get: operations["list_keys"];
        put?: never;
        /**
         * Create a key
         * @description The secret is shown only in this response. After the first key is created every request needs one; therefore the first
         *     key must have the role `admin`.
         */
        post: operations["create_key"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a key
         * @description It is invalid from now on and stays in the list with `revoked_at`.
         */
        delete: operations["revoke_key"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Metrics for Prometheus */
        get: operations["get_metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This document */
        get: operations["get_openapi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the pages of a floor
         * @description They are sorted by slot, then version.
         */
        get: operations["list_pages"];
        put?: never;
        /**
         * Create a page
         * @description In a slot that has pages already it is another swipe. If it is active and floors with states come after it, those are processed,
         *     for a second at most and then as a job.
         */
        post: operations["create_page"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pages/batch/delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Delete many pages
         * @description One that does not exist gets `"deleted": false`.
         */
        post: operations["delete_pages"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pages/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a page */
        get: operations["get_page"];
        put?: never;
        post?: never;
        /**
         * Delete a page
         * @description Its variables go with it.
         */
        delete: operations["delete_page"];
        options?: never;
        head?: never;
        /** Change a page */
        patch: operations["update_page"];
        trace?: never;
    };
    "/pages/{id}/activate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Choose a swipe
         * @description The page becomes the active one of its slot. What comes after it is processed, for a second at most and then as a job.
         */
        post: operations["activate_page"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pages/{id}/blame": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Find what set a value
         * @description The last thing that changed the value at a path of a page's state, what holds it, or a part of it: a command of a text, an
         *     edit by hand, something that a turn did by itself, or the template; `nobody` if there never was a value. Items of
         *     lists are followed to where they stood.
         */
        get: operations["get_page_blame"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pages/{id}/branch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Fork a branch from a page
         * @description As from its floor, with this page there.
         */
        post: operations["fork_page"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pages/{id}/edits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the edits of a page
         * @description In the order in which they are applied after the commands of its text, those that were taken back included. Edits rest while the
         *     page has no state of its own, because no commands are read from it.
         */
        get: operations["list_page_edits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pages/{id}/edits/{edit_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Take an edit of a page back
         * @description The page gets the state that its text and its other edits lead to, and what follows is processed. An edit that was taken back
         *     before stays so. An edit that rests is taken back, too: then the answer has the state that is kept for when the page is the
         *     model's again.
         */
        delete: operations["delete_page_edit"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pages/{id}/redo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take the last undo of a page back
         * @description What follows is processed.
         */
        post: operations["redo_page"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pages/{id}/state": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the state at a page
         * @description A page that commands are read from has a state of its own; the others answer with the state before them.
         */
        get: operations["get_page_state"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change parts of a page's state by hand
         * @description The same by the page: its state is processed first if it has none.
         */
        patch: operations["patch_page_state"];
        trace?: never;
    };
    "/pages/{id}/undo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Undo the changes of a page
         * @description The page gets the state before it, or one value of that, as an edit by hand: its snapshot keeps its id and is marked
         *     `edited`. What follows is processed.
         */
        post: operations["undo_page"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pages/{id}/variables/promotions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List what a page has promoted */
        get: operations["list_promotions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pages/{id}/variables/staged": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the staged writes of a page */
        get: operations["list_staged_writes"];
        put?: never;
        /**
         * Stage a write on a page
         * @description A proposal that waits for the floor's commit: accepted, it becomes a value of the page and goes on to the floor. A
         *     second one for the same key replaces the first. The floor must be a draft or generating; on a committed floor only a
         *     page that came later can have proposals, until it is committed itself.
         */
        post: operations["stage_variable_write"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/profiles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the named profiles
         * @description What each is for, which dialects it reads, which rule packs it uses, and all its fields. Wherever a profile is given it is one
         *     of these names, or `{"base": name, …}` with the fields that differ.
         */
        get: operations["list_profiles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List sessions */
        get: operations["list_sessions"];
        put?: never;
        /**
         * Create a session
         * @description Its branch `main` comes with it.
         */
        post: operations["create_session"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/batch/delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Delete many sessions
         * @description One that does not exist gets `"deleted": false`. Each goes to the trash as an item of its own.
         */
        post: operations["delete_sessions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a session */
        get: operations["get_session"];
        put?: never;
        post?: never;
        /**
         * Delete a session
         * @description Its branches, floors, pages and their variables are deleted with it. It goes to the trash, and its id and `chat_file` are free.
         *     With `permanent` it is hidden at once, and the job `job_id` deletes the rows of a long one.
         */
        delete: operations["delete_session"];
        options?: never;
        head?: never;
        /** Change a session */
        patch: operations["update_session"];
        trace?: never;
    };
    "/sessions/{id}/approvals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List pending approvals
         * @description The oldest first. They survive a restart; one that nobody decides about in time is rejected. An answer may hold fewer than `limit`
         *     where their calls are long; then `has_more` is true, and the next `offset` is behind those that came.
         */
        get: operations["list_approvals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/branches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the branches of a session */
        get: operations["list_branches"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/calls": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the calls of a session
         * @description The newest first, without arguments and results.
         */
        get: operations["list_calls"];
        put?: never;
        /**
         * Call a tool
         * @description References in the arguments are resolved, a person is asked where the tool's permission says so, the tool runs, and its result is
         *     formatted, cut, kept on the scratchpad and perhaps shown to a person first. The response comes when the call has ended, when
         *     it waits for a person or an application, or after some seconds with the status `running`.
         */
        post: operations["create_call"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export a session as a chat file
         * @description A file that SillyTavern opens: what came with the chat when it was imported, and what has become of it since.
         */
        get: operations["export_session"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/floors/{floor_no}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a floor by its position
         * @description The floor may stand on the branch or on one that it was forked from.
         */
        get: operations["get_floor_by_number"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/grants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List remembered decisions
         * @description Those of scope `session` and `always` that count in the session, the newest first. An answer may hold fewer than `limit` where their
         *     arguments are long; then `has_more` is true, and the next `offset` is behind those that came.
         */
        get: operations["list_grants"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/grants/{grant_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a remembered decision
         * @description The next such call asks again. A decision of scope `always` is revoked for all sessions.
         */
        delete: operations["revoke_grant"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the history of a value
         * @description One point for each floor that changed it, along the branch.
         */
        get: operations["get_session_history"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the floors of a branch with what each of them changed
         * @description From the beginning of the story on, through the place where the branch was forked.
         */
        get: operations["get_session_log"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/memory": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what a model is shown of a session's memory
         * @description The newest state of the branch without hidden nodes and keys that start with `_`, and what is due. Where the profile uses no
         *     rule pack nothing is hidden.
         */
        get: operations["get_memory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/memory/archive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the archive of a session
         * @description What left its states: small summaries that were summed up, the oldest big ones, the people and settings of worlds that were
         *     cleared, used up items. An entry belongs to the version of the page whose turn took it out: a swipe away hides it.
         */
        get: operations["list_memory_archive"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/memory/archive/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export the archive of a session
         * @description One JSON object per line, in the order of the story.
         */
        get: operations["export_memory_archive"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/memory/summarize": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add a summary
         * @description To the newest state of the branch, as an edit by hand of its page, with a reason. The next turn settles it: small summaries
         *     go to the archive and the flag goes down. Without `text` the configured model writes a summary that is due; without a model
         *     the summary waits for a reply, a person or a program.
         */
        post: operations["summarize_memory"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/process": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Process a branch
         * @description Applies the texts again where the state does not fit them any more: after edits, deletions and moves, or for a chat
         *     that was imported. Long processing continues as a job, which can be read and cancelled.
         */
        post: operations["process_session"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/prompt-kit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a prompt kit
         * @description What an application needs before it calls a model: the state as a view shows it, how the functions of the library are
         *     called, how commands are written, and what became of those of the last reply; each with its length.
         */
        get: operations["get_prompt_kit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/prompt-runtime/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Preview a prompt
         * @description Evaluates the macros of a text or of messages and answers with the text, the variables they used, what they would write and
         *     what is wrong with them. Nothing is written and no model is asked. A macro that cannot be evaluated stays as it is written,
         *     with a warning.
         */
        post: operations["preview_prompt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/prompt-runtime/render": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Render a prompt
         * @description The same for a page that is generated: what the macros write becomes staged writes of the page, in the place of those of an
         *     earlier rendering, and goes to the branch or to global variables when the floor is committed.
         */
        post: operations["render_prompt"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/scratchpad": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the variables of the scratchpad
         * @description The last visited first, without their values. Listing is no visit.
         */
        get: operations["list_scratchpad"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/scratchpad/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Put a page's text on the scratchpad
         * @description As `MessageCache`, under the name `Message_{page_id}`. References inside it are never expanded.
         */
        post: operations["cache_message"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/scratchpad/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a variable of the scratchpad
         * @description A look from outside: it counts as no visit.
         */
        get: operations["get_scratchpad_variable"];
        /**
         * Write a variable of the scratchpad
         * @description A new one is `USER_ADD`; what is left out of one that exists stays. Rules are refused.
         */
        put: operations["put_scratchpad_variable"];
        post?: never;
        /** Remove a variable of the scratchpad */
        delete: operations["delete_scratchpad_variable"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/snapshots": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the snapshots of a session
         * @description With the page that each belongs to and where that stands. Snapshots of deleted pages are there too, until a cleanup.
         */
        get: operations["list_snapshots"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/state": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the state of a branch
         * @description The newest one, or that at a position.
         */
        get: operations["get_session_state"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/sync": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sync a chat
         * @description Makes a branch equal to a chat: floors and swipes are added, changed, moved and deleted, and what is the same is left
         *     alone. Texts can be named by their hashes; those that the server lacks come back as `missing`, and then nothing is
         *     changed. The branch is processed afterwards. The same sync twice changes nothing the second time. What it deletes goes to the
         *     trash, and so do texts that it replaces, unless that is a single one.
         */
        post: operations["sync_session"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/template": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a session's template
         * @description The state that its story starts from: its own, or its character's.
         */
        get: operations["get_session_template"];
        /**
         * Replace a session's template
         * @description States that come from the old one are outdated, not stale.
         */
        put: operations["put_session_template"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/tools/definitions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the definitions of the enabled tools
         * @description For the `tools` field of a model API, in the order of registration. `ReadVar` and `ListVars` are among them as soon as any
         *     tool is enabled.
         */
        get: operations["list_tool_definitions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/tools/groups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the tool groups of a session */
        get: operations["list_tool_groups"];
        put?: never;
        /**
         * Register a tool group
         * @description The application runs its tools: a call of one becomes `awaiting_client` with resolved and approved arguments, and
         *     `POST /calls/{id}/result` returns what came of it. A group that is registered again is replaced and disabled.
         */
        post: operations["register_tool_group"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/tools/groups/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Enable or disable a tool group */
        patch: operations["update_tool_group"];
        trace?: never;
    };
    "/sessions/{id}/tools/rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the rules about tools
         * @description Text for the system prompt: how calls, logs, variables and rules work, then each enabled group. Empty while no group is enabled.
         */
        get: operations["get_tool_rules"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/tools/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change a tool
         * @description Enables or disables it, or overrides what it says about asking. A field of the permission that is left out keeps what an earlier
         *     request said; `deny` is replaced as a whole.
         */
        patch: operations["update_tool"];
        trace?: never;
    };
    "/sessions/{id}/transcript": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the floors of a branch with their texts
         * @description By position, through the place where the branch was forked.
         */
        get: operations["get_transcript"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}/turns": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take a turn
         * @description Makes a committed floor with a page, or another swipe of a floor; applies the commands in the text to the state of the
         *     page before; and stores everything together. What lies before is processed first if it has to be. A bad reply is no
         *     error: the response lists its problems.
         */
        post: operations["create_turn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sign-in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign a browser in
         * @description The key becomes a cookie that scripts cannot read, that other sites cannot use, and that ends by itself. The secret
         *     of the key is not kept in the browser. Revoking the key signs the browser out.
         */
        post: operations["sign_in"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sign-out": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign this browser out
         * @description Without a cookie nothing happens.
         */
        post: operations["sign_out"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/snapshots/by-chat": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Drop the snapshots of a chat
         * @description The pages of the chat, where its session still exists, are unprocessed then. A name that no chat has drops nothing. The
         *     snapshots go to the trash.
         */
        delete: operations["delete_snapshots_by_chat"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/snapshots/cleanup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Drop the snapshots of chats that no longer exist
         * @description Takes the names of all chats that exist and drops the snapshots of every other one. Pages that are still there are
         *     unprocessed then, and processing recomputes their states; what it cannot restore is counted in the response. An empty
         *     list needs `confirm_all`. The snapshots go to the trash, an item for each chat.
         */
        post: operations["clean_up_snapshots"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/snapshots/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a snapshot
         * @description Snapshots of deleted pages stay readable.
         */
        get: operations["get_snapshot"];
        /**
         * Give a snapshot another state by hand
         * @description What differs from its present state is kept as an edit beside the text of its page, and applied again whenever the state of the
         *     page is computed. The snapshot keeps its id. What follows builds on the new state: it is processed at once, or is stale
         *     until it is processed.
         */
        put: operations["put_snapshot"];
        post?: never;
        /**
         * Drop a snapshot
         * @description Its page is unprocessed then, and so nothing is processed at once: the next processing gives it another snapshot under another
         *     id. It goes to the trash.
         */
        delete: operations["delete_snapshot"];
        options?: never;
        head?: never;
        /**
         * Change parts of a snapshot by hand
         * @description By JSON Patch or merge patch. The snapshot keeps its id. The patch is kept beside the text of its page and applied again
         *     whenever the state of the page is computed.
         */
        patch: operations["patch_snapshot"];
        trace?: never;
    };
    "/snapshots/{id}/diff": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Compare two snapshots
         * @description Whatever sessions of the account they belong to. Reading it computes no turn.
         */
        get: operations["diff_snapshots"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tools/defaults": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read the defaults of tools */
        get: operations["get_tool_defaults"];
        /**
         * Replace the defaults of tools
         * @description A session takes them over when it first uses its tools.
         */
        put: operations["put_tool_defaults"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/trash": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the trash
         * @description What requests deleted, the newest first: one item for each request and session, or for each session, character or global snapshot.
         *     It is purged after `trash_max_age`. The list of a session has what was deleted from it, and the session itself if it was.
         */
        get: operations["list_trash"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/trash/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an item of the trash
         * @description With some of its pages and their texts, in the order of their floors, or with the character or the global snapshot that it is.
         *     `next_offset` says where to go on.
         */
        get: operations["get_trash"];
        put?: never;
        post?: never;
        /** Purge an item of the trash */
        delete: operations["purge_trash"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/trash/{id}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restore an item of the trash
         * @description Each part of it goes back to where it was, with its variables. If that place is gone or taken, it becomes a branch from the nearest
         *     floor before that was on its line. A text that a sync replaced comes back as another swipe beside the new one, and is chosen if it
         *     was. States whose pages have others by now stay in the trash; if all of them do, nothing is restored (`409 nothing_to_restore`). Dropped
         *     states come back on the forks that had them, and not on those that were made since. A session, character or global snapshot comes back under its id, or under another one if the body names it; an id or
         *     `chat_file` that something else has by now is refused.
         */
        post: operations["restore_trash"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/trash/{id}/snapshots/{snapshot_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a state in the trash
         * @description The state behind a `snapshot_id` of the item's pages.
         */
        get: operations["get_trash_state"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/variables": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List variables
         * @description All filters must fit. `session_id` and `branch_id` are only for `scope=branch`.
         */
        get: operations["list_variables"];
        /**
         * Set a variable
         * @description Creates the variable or replaces its value. The host must exist; a floor that is generating or committed is locked.
         */
        put: operations["put_variable"];
        post?: never;
        /** Delete a variable by its address */
        delete: operations["delete_variable_by_target"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/variables/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Set many variables
         * @description All are written or none. Each target may appear once, however it is spelled.
         */
        put: operations["put_variables"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/variables/batch/delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Delete many variables
         * @description By `ids` or by `items`. One that does not exist gets `"deleted": false`; a locked one refuses all.
         */
        post: operations["delete_variables"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/variables/increment": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Count a variable up
         * @description Adds `by` in one step that no other writer can come between. An absent variable counts as `initial`.
         */
        post: operations["increment_variable"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/variables/resolve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Resolve variables
         * @description The winner of each key as seen from a session, branch, floor or page: page › floor › branch › chat › global. A page
         *     brings its floor and branch along, a floor its branch.
         *
         *     Where the story has begun, its state is among them as the computed variable `vs_stat_data`, or under the name that the
         *     session gives it; it comes from its page and cannot be written as a variable.
         *
         *     A branch that was forked sees what the branches before it had when the fork's floor was committed, marked with
         *     `inherited_from_floor_id`. With `lineage=true` a floor also sees the nearest value of the floors before it;
         *     `source_scope_id` then names the floor that has it.
         */
        get: operations["resolve_variables"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/variables/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a variable */
        get: operations["get_variable"];
        put?: never;
        post?: never;
        /** Delete a variable */
        delete: operations["delete_variable"];
        options?: never;
        head?: never;
        /**
         * Patch a variable
         * @description Changes parts of its value by JSON Patch (RFC 6902), all operations or none.
         */
        patch: operations["patch_variable"];
        trace?: never;
    };
    "/variables/{id}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the history of a variable
         * @description Every write of it, and of those that stood at its place before it, the newest first.
         */
        get: operations["variable_history"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/writes/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what became of a write
         * @description For requests that were answered `503 write_pending`, under the id in that answer. The server that answered keeps the last 1,024
         *     of them until it stops; one that it does not know has happened or not: read what it would have changed.
         */
        get: operations["get_write"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description The account of a request. */
        Account: {
            /**
             * @description The account.
             * @example default-admin
             */
            account_id: string;
            /** @description What the request may do. */
            role: components["schemas"]["Role"];
            /** @description The key of the request, or the key that the browser was signed in with; null if the server needs none. */
            key_id: string | null;
            /** @description The browser, if the request comes from one that is signed in. */
            browser_id: string | null;
            /** @description What the account has, and what it may have. */
            quotas: components["schemas"]["Quotas"];
        };
        AccountData: {
            data: components["schemas"]["Account"];
        };
        /** @description The result of a reply. */
        Applied: {
            /** @description The id of the request. */
            id?: components["schemas"]["JsonValue"];
            /** @description The state after. */
            state: components["schemas"]["JsonValue"];
            /** @description Every command and its result, in the order of the text. */
            commands: components["schemas"]["AppliedCommand"][];
            /** @description What really changed, as a JSON Patch (RFC 6902). */
            change: components["schemas"]["ChangeOperation"][];
            /** @description Problems, in the order of the text. */
            problems: components["schemas"]["ReplyProblem"][];
            /**
             * @description MVU's schema tree for the next reply, where the request had one: new members and items are in it. Only with the
             *     profile `mvu`.
             */
            schema?: components["schemas"]["JsonObject"];
            /** @description What left the state for the archive. */
            archived?: components["schemas"]["ArchivedEntries"][];
        };
        /** @description A command and its result. */
        AppliedCommand: {
            /** @description How it is written. */
            dialect: components["schemas"]["DialectName"];
            /**
             * @description What was to be done, as the dialect names it.
             * @example set
             */
            name: string;
            /**
             * @description The arguments: of a call each as the text that was written, of a patch operation the values of its members, null
             *     for one that is not there.
             * @example [
             *       "'yuki.affinity'",
             *       "40",
             *       "42"
             *     ]
             */
            args: components["schemas"]["JsonValue"][];
            /** @description Where it stands in the reply. */
            span: components["schemas"]["Span"];
            /** @description Its result. */
            status: components["schemas"]["CommandStatus"];
            /**
             * @description Why it was refused, for programs.
             * @example missing_path
             */
            code?: string;
            /** @description How it was repaired or why it was refused, for people and models. */
            message?: string;
            /**
             * @description Why the model wrote it, in its own words: the text behind `//`.
             * @example a good talk
             */
            reason?: string;
        };
        AppliedData: {
            data: components["schemas"]["Applied"];
        };
        /** @description The page that gets the state of a global snapshot. */
        ApplyGlobalSnapshot: {
            /** @description The page. It must be one that commands are read from. */
            page_id: string;
        };
        /**
         * @description A reply and the state it is applied to.
         * @example {
         *       "profile": "default",
         *       "state": {
         *         "yuki": {
         *           "affinity": 40
         *         }
         *       },
         *       "reply": "She smiles. _.set('yuki.affinity', 40, 42);//a good talk"
         *     }
         */
        ApplyRequest: {
            /** @description Comes back with the answer, whatever it is. */
            id?: components["schemas"]["JsonValue"];
            /** @description How commands are read and applied; default `default`. */
            profile?: components["schemas"]["ProfileChoice"];
            /** @description The state before. Only a profile with a rule pack can do without: then it is the template of that pack. */
            state?: components["schemas"]["JsonValue"];
            /** @description The text with the commands. */
            reply: string;
            /** @description What the state may hold: our schema, or MVU's own schema tree where the profile is `mvu`. */
            schema?: components["schemas"]["JsonObject"];
            /** @description Replies before this one, the newest last, for rules that look at them. */
            recent_texts?: string[];
            /** @description Who wrote the text; `user` for a person, anything else for a model. */
            role?: string;
        };
        /** @description An approval that is pending. */
        Approval: {
            /** @description Its id. */
            id: string;
            /** @description The session of the call. */
            session_id: string;
            /** @description What it is about. */
            type: components["schemas"]["ApprovalType"];
            /** @description The call. */
            call_id: string;
            /** @description The tool. */
            tool: string;
            /** @description The arguments, references resolved. */
            args: components["schemas"]["JsonValue"];
            /** @description The arguments as they were asked for, if that differs. */
            asked_args?: components["schemas"]["JsonValue"];
            /** @description The result that may be seen or not; only if it is about one. */
            result?: components["schemas"]["ApprovalResult"];
            /**
             * Format: int64
             * @description When it was asked for.
             */
            created_at: number;
            /**
             * Format: int64
             * @description No answer until then is a rejection.
             */
            expires_at: number;
        };
        ApprovalList: {
            data: components["schemas"]["Approval"][];
            meta: components["schemas"]["ListMeta"];
        };
        /** @description A result that waits for an approval. */
        ApprovalResult: {
            /** @description What the model would be shown. */
            final_text?: string;
            /** @description What the tool returned. */
            data?: components["schemas"]["JsonValue"];
            /** @description Why it failed. */
            error?: string;
        };
        /**
         * @description How long a decision counts, for the same tool with the same definition and the same arguments.
         * @enum {string}
         */
        ApprovalScope: "once" | "session" | "always";
        /**
         * @description What a person decides about.
         * @enum {string}
         */
        ApprovalType: "execution" | "result";
        /**
         * @description A value that left a state.
         * @example {
         *       "floor_id": "f7",
         *       "floor_no": 7,
         *       "page_id": "p7",
         *       "at": 1700000000000,
         *       "source": "summary.small",
         *       "name": "",
         *       "key": "day 1",
         *       "value": "They met."
         *     }
         */
        ArchiveEntry: {
            /** @description The floor whose turn took it out. */
            floor_id: string;
            /**
             * Format: int64
             * @description Its position.
             */
            floor_no: number;
            /** @description The page. */
            page_id: string;
            /**
             * Format: int64
             * @description The time of the turn, in milliseconds since 1970.
             */
            at: number;
            /** @description Where the value stood. */
            source: string;
            /** @description Under which name it is kept, such as that of a world; empty where there is none. */
            name: string;
            /** @description Its key. */
            key: string;
            /** @description The value. */
            value: components["schemas"]["JsonValue"];
        };
        ArchiveEntryList: {
            data: components["schemas"]["ArchiveEntry"][];
            meta: components["schemas"]["ListMeta"];
        };
        /**
         * @description Values that left a state for the archive.
         * @example {
         *       "source": "summary.small",
         *       "name": "",
         *       "entries": {
         *         "day 1": "They met."
         *       }
         *     }
         */
        ArchivedEntries: {
            /** @description Where they stood. */
            source: string;
            /** @description Under which name they are kept, such as that of a world; empty where there is none. */
            name: string;
            /** @description The values by their keys. */
            entries: components["schemas"]["JsonObject"];
        };
        /** @description What set a value. */
        Blame: {
            /** @description The requested path. */
            path: string;
            /** @description The value; absent if there is none. */
            value?: components["schemas"]["JsonValue"];
            /** @description Whether the requested state is up to date with the texts. */
            fresh: boolean;
            /** @description What set it. */
            source: components["schemas"]["BlameSource"];
            /**
             * Format: int64
             * @description When: the time of the turn or of the edit; null if nothing set it.
             */
            at: number | null;
            /** @description The floor; null if nothing set it or the page was deleted. */
            floor_id: string | null;
            /**
             * Format: int64
             * @description Its position.
             */
            floor_no: number | null;
            /** @description The page. With the source `earlier` the page to continue at. */
            page_id: string | null;
            /** @description What was done: to the value, to what holds it, or to a part of it. */
            operation?: components["schemas"]["Difference"];
            /** @description The command; only with the source `command`. */
            command?: components["schemas"]["AppliedCommand"];
            /** @description The function behind it: one that a command called, or one that ran by itself. */
            function?: string;
            /** @description The command as it stands in the text. */
            command_text?: string;
            /**
             * @description Set if the page's text is another one than the state was made of, so that the command is unknown.
             * @default false
             */
            text_changed?: boolean;
        };
        BlameData: {
            data: components["schemas"]["Blame"];
        };
        /**
         * @description What can set a value.
         * @enum {string}
         */
        BlameSource: "command" | "turn" | "function" | "edit" | "template" | "nobody" | "earlier";
        /** @description One line through a conversation. */
        Branch: {
            /**
             * @description Its id within the session: free text.
             * @example alt-1
             */
            branch_id: string;
            /**
             * @description The session.
             * @example sess_001
             */
            session_id: string;
            /** @description The floor it was forked from, if it still exists. */
            source_floor_id: string | null;
            /**
             * Format: int64
             * @description The position of that floor.
             */
            source_floor_no: number | null;
            /** @description The branch that this floor stands on, if it still exists. */
            source_branch_id: string | null;
            /**
             * Format: int64
             * @description How many floors it has behind its fork point; all of them where it has none.
             */
            floor_count: number;
            /**
             * Format: int64
             * @description When it was registered.
             */
            created_at: number;
        };
        BranchList: {
            data: components["schemas"]["Branch"][];
            meta: components["schemas"]["ListMeta"];
        };
        /** @description A browser that is signed in. */
        Browser: {
            /** @description Its id, with which it is signed out. */
            id: string;
            /** @description What it calls itself: its `User-Agent`. */
            name: string;
            /** @description The key it was signed in with. */
            key_id: string;
            /** @description What it may do. */
            role: components["schemas"]["Role"];
            /**
             * Format: int64
             * @description When it was signed in.
             */
            created_at: number;
            /**
             * Format: int64
             * @description When it is signed out by itself.
             */
            expires_at: number;
            /** @description Whether the request comes from this browser. */
            current: boolean;
        };
        BrowserData: {
            data: components["schemas"]["Browser"];
        };
        BrowserList: {
            data: components["schemas"]["Browser"][];
            meta: components["schemas"]["ListMeta"];
        };
        /** @description A call in the journal. */
        Call: {
            /** @description Its id. */
            id: string;
            /** @description The session. */
            session_id: string;
            /** @description The tool. */
            tool: string;
            /** @description Its group; absent if there is no such tool. */
            group?: string;
            /** @description What has become of it. */
            status: components["schemas"]["CallStatus"];
            /** @description The arguments, references resolved; not in lists. */
            args?: components["schemas"]["JsonValue"];
            /** @description The arguments as they were asked for, if that differs. */
            asked_args?: components["schemas"]["JsonValue"];
            /** @description What the tool returned. */
            data?: components["schemas"]["JsonValue"];
            /** @description What a model is shown. */
            final_text?: string;
            /** @description The whole result as text. */
            formatted_text?: string;
            /** @description Whether the model is shown less than all of it. */
            is_truncated?: boolean;
            /** @description The variable of the result. */
            cache_var_result?: string;
            /** @description The variable of the arguments. */
            cache_var_args?: string;
            /** @description Why it failed. */
            error?: string;
            /** @description Why it was rejected. */
            reject_reason?: string;
            /** @description The key that the decision was made with. */
            decided_by?: string;
            /** @description The page it belongs to. */
            page_id?: string;
            /** @description The branch it belongs to. */
            branch_id?: string;
            /**
             * Format: int64
             * @description When it was made.
             */
            created_at: number;
            /**
             * Format: int64
             * @description When its tool began.
             */
            started_at?: number;
            /**
             * Format: int64
             * @description When it ended.
             */
            ended_at?: number;
            /**
             * Format: int64
             * @description How long its tool took, in ms.
             */
            duration_ms?: number;
        };
        CallData: {
            data: components["schemas"]["Call"];
        };
        CallList: {
            data: components["schemas"]["Call"][];
            meta: components["schemas"]["ListMeta"];
        };
        /**
         * @description What an application returns for a call of its tool.
         * @example {
         *       "status": "success",
         *       "data": {
         *         "temperature": 21
         *       }
         *     }
         */
        CallResult: {
            /** @description Whether it did it. */
            status: components["schemas"]["ResultStatus"];
            /** @description What it returned. */
            data?: components["schemas"]["JsonValue"];
            /** @description Why not. */
            error?: string;
        };
        /**
         * @description What has become of a call.
         * @enum {string}
         */
        CallStatus: "awaiting_approval" | "awaiting_client" | "running" | "success" | "error" | "execution_rejected" | "result_rejected" | "not_found" | "cancelled" | "interrupted";
        /**
         * @description One operation of a change, as JSON Patch shows it.
         * @example {
         *       "op": "replace",
         *       "path": "/yuki/affinity",
         *       "value": 42
         *     }
         */
        ChangeOperation: {
            /** @description What is done. */
            op: components["schemas"]["ChangeVerb"];
            /** @description Where, as a JSON Pointer. */
            path: string;
            /** @description The new value; not there when something is removed. */
            value?: components["schemas"]["JsonValue"];
        };
        /**
         * @description What an operation of a change does.
         * @enum {string}
         */
        ChangeVerb: "add" | "remove" | "replace";
        /** @description A character. */
        Character: {
            /**
             * @description Its id.
             * @example yuki
             */
            id: string;
            /**
             * @description Its name.
             * @example Yuki
             */
            name: string;
            /** @description Whether texts of its sessions are processed. */
            enabled: boolean;
            profile: components["schemas"]["ProfileChoice"] | null;
            /** @description The state that its stories start from; null for an empty one. */
            template: components["schemas"]["JsonObject"];
            /** @description The texts that a session can begin with. */
            greetings: string[];
            /** @description Its own functions, in the order in which they run; `/functions?scope=character` shows more of them. */
            functions: components["schemas"]["FunctionEntry"][];
            /**
             * Format: int64
             * @description When it was created.
             * @example 1735689600000
             */
            created_at: number;
            /**
             * Format: int64
             * @description When it last changed.
             * @example 1735689600000
             */
            updated_at: number;
        };
        CharacterData: {
            data: components["schemas"]["Character"];
        };
        /**
         * @description Changes to a character. An absent field stays as it is, `null` clears it.
         * @example {
         *       "enabled": false
         *     }
         */
        CharacterPatch: {
            /** @description Another name; at most 1024 bytes. */
            name?: string;
            /** @description Whether texts of its sessions are processed. Turns of a disabled character are stored without a state. */
            enabled?: boolean;
            profile?: components["schemas"]["ProfileChoice"] | null;
            /** @description Another template, an object. States that come from the old one are outdated, not stale. */
            template?: components["schemas"]["JsonObject"];
            /** @description Other greetings, for new sessions. */
            greetings?: string[];
            /**
             * @description All functions that it is to have. One with the id of a function that it has replaces that one; others are new and get
             *     new ids; those that are left out are deleted.
             */
            functions?: components["schemas"]["FunctionEntry"][];
        };
        /** @description A character in a list. */
        CharacterSummary: {
            /**
             * @description Its id.
             * @example yuki
             */
            id: string;
            /**
             * @description Its name.
             * @example Yuki
             */
            name: string;
            /** @description Whether texts of its sessions are processed. */
            enabled: boolean;
            /**
             * Format: int64
             * @description How many greetings it has.
             */
            greeting_count: number;
            /**
             * Format: int64
             * @description When it was created.
             * @example 1735689600000
             */
            created_at: number;
            /**
             * Format: int64
             * @description When it last changed.
             * @example 1735689600000
             */
            updated_at: number;
        };
        CharacterSummaryList: {
            data: components["schemas"]["CharacterSummary"][];
            meta: components["schemas"]["ListMeta"];
        };
        /**
         * @description The chat whose snapshots are dropped.
         * @example {
         *       "chat_file": "Yuki - 2025-10-20"
         *     }
         */
        ChatOfSnapshots: {
            /** @description The `chat_file` of a session; `chatFile` means the same. One of them must be there. */
            chat_file?: string;
            /** @description Another spelling of `chat_file`. */
            chatFile?: string;
            /**
             * Format: int64
             * @description The `next_after` of the previous response.
             * @default 0
             */
            after?: number;
            /**
             * @description Only report what would happen; change nothing.
             * @default false
             */
            dry_run?: boolean;
        };
        /** @description The result of a cleanup. */
        CleanupReport: {
            /**
             * Format: int64
             * @description Snapshots that were dropped, or would be. The pages that had them are unprocessed.
             */
            deleted: number;
            /**
             * Format: int64
             * @description How many of these have edits by hand.
             */
            deleted_edited: number;
            /**
             * Format: int64
             * @description Of these the ones whose page was deleted before: processing does not bring them back.
             */
            deleted_orphans: number;
            /** @description Chats with snapshots that were looked at. */
            scanned_chat_files: number;
            /** @description Chats that lost snapshots. */
            deleted_chat_files: number;
            /** @description The names of the first thousand of them. */
            chat_files: string[];
            /** @description The items of the trash that these chats' snapshots can be restored by, in the same order. */
            trash_ids: string[];
            /**
             * @description Whether there is more to do than fits into a second: send the request again, with `next_after` as `after`. The figures are
             *     those of this answer alone. Under an `Idempotency-Key` only an answer with nothing left is kept.
             */
            more: boolean;
            /**
             * Format: int64
             * @description Where to go on; null when all is done.
             */
            next_after: number | null;
            /** @description Whether nothing was dropped. */
            dry_run: boolean;
            /** @description What is stale on the branch `main` of the chat, if one chat was named: the others are stale likewise. */
            stale?: components["schemas"]["StaleFloors"];
        };
        CleanupReportData: {
            data: components["schemas"]["CleanupReport"];
        };
        /**
         * @description The chats that exist: the snapshots of all others are dropped.
         * @example {
         *       "active_chat_files": [
         *         "Yuki - 2025-10-20"
         *       ],
         *       "dry_run": true
         *     }
         */
        CleanupRequest: {
            /** @description The `chat_file` of every chat. One of `active_chat_files` and `activeChatFiles` is required. */
            active_chat_files?: string[];
            /** @description The `chat_file` of every chat. One of `active_chat_files` and `activeChatFiles` is required. */
            activeChatFiles?: string[];
            /**
             * @description Whether an empty list is meant: no chat exists, so every snapshot is dropped.
             * @default false
             */
            confirm_all?: boolean;
            /**
             * @description Whether snapshots of pages that are gone for good are dropped in the chats that exist, too. Those in the trash stay.
             * @default false
             */
            orphans?: boolean;
            /**
             * Format: int64
             * @description The `next_after` of the previous response.
             * @default 0
             */
            after?: number;
            /**
             * @description Only report what would happen; change nothing.
             * @default false
             */
            dry_run?: boolean;
        };
        /**
         * @description The result of a command.
         * @enum {string}
         */
        CommandStatus: "applied" | "repaired" | "refused";
        /**
         * @description Which page was accepted.
         * @example {}
         */
        Commit: {
            /** @description The page; default the active output page. */
            page_id?: string;
        };
        /** @description How states that came with a chat compare with ours. */
        ComparedStates: {
            /** @description How many were compared. */
            compared: number;
            /** @description How many of them differ. */
            differing: number;
            /** @description How many of those were kept, as edits by hand. */
            kept: number;
            /** @description The first twenty floors that differ, in the order of the chat. */
            differences: components["schemas"]["StateDifference"][];
        };
        /** @description How two states differ. */
        Comparison: {
            /** @description The one. */
            from: components["schemas"]["Side"];
            /** @description The other. */
            to: components["schemas"]["Side"];
            /** @description What leads from the one to the other; where keys stand does not count. Empty if they are equal. */
            change: components["schemas"]["Difference"][];
        };
        ComparisonData: {
            data: components["schemas"]["Comparison"];
        };
        /**
         * @description Kinds of conflicts.
         * @enum {string}
         */
        ConflictKind: "same_name" | "dialect" | "not_read";
        /**
         * @description What happens where the target has the key already.
         * @enum {string}
         */
        ConflictPolicy: "replace" | "if_absent";
        /**
         * @description Where a copy goes.
         * @example {
         *       "scope": "global"
         *     }
         */
        CopyFunction: {
            /** @description The scope of the copy. */
            scope: components["schemas"]["FunctionScope"];
            /** @description With `character`: the character. */
            character_id?: string;
            /** @description A name for the copy; default the same. */
            name?: string;
        };
        /** @description Whether a write may create what is missing. */
        CreateMissing: boolean | components["schemas"]["CreateMissingAs"];
        /**
         * @description Whose rules decide what may be created.
         * @enum {string}
         */
        CreateMissingAs: "as_mvu";
        /** @description A new key with its secret. The secret is shown only here. */
        CreatedKey: components["schemas"]["Key"] & {
            /**
             * @description The secret; it cannot be shown again.
             * @example tk_…
             */
            secret: string;
        };
        CreatedKeyData: {
            data: components["schemas"]["CreatedKey"];
        };
        /**
         * @description A decision.
         * @example {
         *       "approved": true,
         *       "scope": "session"
         *     }
         */
        Decision: {
            /** @description Whether it may be. */
            approved: boolean;
            /** @description Why not; the model is shown it. */
            reason?: string;
            /** @description How long it counts; default `session` for `ask-once`, otherwise `once`. */
            scope?: components["schemas"]["ApprovalScope"];
            /** @description Other arguments for the call. */
            args?: components["schemas"]["JsonObject"];
        };
        /** @description Which ones to delete. */
        DeleteIds: {
            ids: string[];
        };
        /**
         * @description The response to a deletion.
         * @example {
         *       "id": "var_001",
         *       "deleted": true
         *     }
         */
        Deleted: {
            /** @description What was deleted. */
            id: string;
            /** @description Whether it existed. */
            deleted: boolean;
            /** @description The job that deletes the rows of a long session; absent if nothing is left to do. */
            job_id?: string;
            /**
             * @description The item of the trash that it can be restored by; only in responses to the deletion of many that made several items, and of
             *     sessions.
             */
            trash_id?: string;
            /** @description What the change leaves stale on the branch; only in responses to changes. */
            stale?: components["schemas"]["StaleFloors"];
        };
        /** @description The response to the deletion of a branch. */
        DeletedBranch: {
            /** @description The branch. */
            branch_id: string;
            /** @description Its session. */
            session_id: string;
            /**
             * Format: int64
             * @description How many floors went with it.
             */
            deleted_floor_count: number;
        };
        DeletedBranchData: {
            data: components["schemas"]["DeletedBranch"];
        };
        DeletedData: {
            data: components["schemas"]["Deleted"];
        };
        /** @description The response to a deletion of many. */
        DeletedMany: {
            /** @description One row per id, in the order of the request. */
            results: components["schemas"]["Deleted"][];
            /** @description Totals. */
            meta: components["schemas"]["DeletedMeta"];
        };
        DeletedManyData: {
            data: components["schemas"]["DeletedMany"];
        };
        /** @description Totals of a deletion of many. */
        DeletedMeta: {
            /** @description Number of requested ids. */
            total: number;
            /** @description How many existed. */
            deleted: number;
        };
        /** @description A rule that refuses calls. */
        DenyRule: {
            /**
             * @description Which argument, as a JSON pointer; absent: every call.
             * @example /path
             */
            argument?: string;
            /**
             * @description A pattern for the argument's text, in which `*` stands for anything.
             * @example *.env
             */
            matches?: string;
        };
        /**
         * @description One place in a request that is wrong.
         * @example {
         *       "path": "/key",
         *       "message": "must NOT have fewer than 1 characters",
         *       "code": "minLength"
         *     }
         */
        Detail: {
            /**
             * @description Where: a JSON pointer such as `/items/0/key` for the shape, a dotted path such as `items.1` for fields that contradict
             *     each other. Empty for the body or query as a whole.
             */
            path: string;
            /** @description What it must be. */
            message: string;
            /** @description The JSON Schema keyword that fails, or `custom`. */
            code: string;
        };
        /**
         * @description The ways in which commands are written.
         * @enum {string}
         */
        DialectName: "at" | "mvu" | "json_patch" | "memory";
        /** @description One thing or a list of them. */
        DialectNameOneOrMany: components["schemas"]["DialectName"] | components["schemas"]["DialectName"][];
        /** @description One operation with the value it takes away: JSON Patch plus `old`. */
        Difference: {
            /** @description What was done. */
            op: components["schemas"]["ChangeVerb"];
            /** @description Where, as a JSON Pointer. */
            path: string;
            /** @description The new value; not for `remove`. */
            value?: components["schemas"]["JsonValue"];
            /** @description The old value; not for `add`. */
            old?: components["schemas"]["JsonValue"];
        };
        /**
         * @description Why a cause is one.
         * @enum {string}
         */
        DifferenceCause: "first_state" | "refused" | "command" | "not_there" | "elsewhere";
        /** @description Something that a model is asked to do. */
        Due: {
            /**
             * @description For programs; keeps its spelling.
             * @example summary_due
             */
            code: string;
            /** @description What to do, for the model. */
            text: string;
        };
        /** @description An edit of a page's state by hand. */
        Edit: {
            /** @description Its id, for `DELETE /pages/{id}/edits/{edit_id}`. */
            id: string;
            /**
             * Format: int64
             * @description Its place in the order in which they are applied.
             */
            number: number;
            /** @description What it was made for. */
            kind: components["schemas"]["EditKind"];
            /**
             * @description What it does, as JSON Patch. `add` sets a member of an object, whether it is there or not; the item of a list is found by
             *     what it was, not by its index alone. `old` is what was there when the edit was made, unless it was long.
             */
            patch: components["schemas"]["Difference"][];
            /** @description Why it was made. */
            reason: string | null;
            /**
             * Format: int64
             * @description When it was made.
             */
            created_at: number;
            /**
             * Format: int64
             * @description When it was taken back; null while it counts.
             */
            taken_back_at: number | null;
            /**
             * @description Set while it rests: no commands are read from the page, so it has no state that the edit could count for. It counts again
             *     when the page is the model's again.
             * @default false
             */
            resting?: boolean;
        };
        /**
         * @description What an edit was made for.
         * @enum {string}
         */
        EditKind: "edit" | "undo";
        EditList: {
            data: components["schemas"]["Edit"][];
            meta: components["schemas"]["ListMeta"];
        };
        /**
         * @description A state by hand.
         * @example {
         *       "state": {
         *         "yuki": {
         *           "affinity": 50
         *         }
         *       }
         *     }
         */
        EditedSnapshot: {
            /** @description The document: an object. */
            state: JsonObject;
            /**
             * @description Whether what follows on the page's branch is processed at once. Otherwise it stays stale until it is processed.
             * @default true
             */
            process?: boolean;
            /** @description Why; kept with the edit. At most 4096 bytes. */
            reason?: string;
            /**
             * @description Whether the document is data of MVU and its metadata (`$meta`, `$arrayMeta`, `$__META_EXTENSIBLE__$`) is left out;
             *     of a whole record only `stat_data` is taken.
             * @default false
             */
            strip_mvu?: boolean;
        };
        /**
         * @description Every response that is not a success.
         * @example {
         *       "error": {
         *         "code": "variable_host_not_found",
         *         "message": "Session 'nosess' not found"
         *       }
         *     }
         */
        ErrorBody: {
            /** @description What went wrong. */
            error: components["schemas"]["ErrorContent"];
        };
        /**
         * @description For programs; keeps its spelling.
         *
         *     - 400 `validation_error`: The request does not have the documented shape; `details` lists each wrong field and what it must be.
         *     - 400 `malformed_request`: The head of the request is not one of HTTP/1.1: it needs exactly one `Host`.
         *     - 400 `malformed_json`: The body cannot be read as JSON: a syntax error, a duplicate key in one object, half a surrogate pair, a number beyond 64 bits, or nesting that is too deep.
         *     - 400 `invalid_variable_context`: Session, branch, floor and page do not belong together, or a branch `scope_id` cannot be read.
         *     - 400 `duplicate_variable_target`: Two items of a batch name the same variable; send each variable once.
         *     - 400 `floor_patch_restricted_field`: This field of a floor cannot be patched; change the state with `generate`, `commit` and `fail`.
         *     - 401 `auth_required`: The request carries no key; send `Authorization: Bearer <key>` or `x-api-key: <key>`, or sign in.
         *     - 403 `auth_invalid_credentials`: The key is unknown, revoked or expired.
         *     - 403 `auth_account_disabled`: The key's account is disabled.
         *     - 403 `auth_role_insufficient`: The key's role does not allow this; use a key with the role that the route names.
         *     - 403 `host_not_allowed`: The `Host` header names a host that this server does not answer for; add it to `allowed_hosts`.
         *     - 403 `origin_not_allowed`: A web page of another origin sent the request; add the origin to `allowed_origins`.
         *     - 404 `variable_host_not_found`: The session, branch, floor or page of the variable does not exist.
         *     - 404 `variable_not_found`: The variable does not exist.
         *     - 404 `session_not_found`: The session does not exist.
         *     - 404 `branch_not_found`: The branch does not exist in the session.
         *     - 404 `floor_not_found`: The floor does not exist, or not where the request says.
         *     - 404 `source_floor_not_found`: The floor that the branch would be forked from does not exist in the session.
         *     - 404 `view_not_found`: The session's profile has no view with this name; the message lists those it has.
         *     - 404 `page_not_found`: The page does not exist, or not where the request says.
         *     - 404 `snapshot_not_found`: The snapshot does not exist.
         *     - 404 `edit_not_found`: The page has no such edit by hand.
         *     - 404 `global_snapshot_not_found`: The global snapshot does not exist.
         *     - 404 `character_not_found`: The character does not exist.
         *     - 404 `function_not_found`: The function does not exist, or not in the scope that the request names.
         *     - 404 `key_not_found`: The key does not exist.
         *     - 404 `browser_not_found`: No such browser is signed in.
         *     - 404 `account_not_found`: The account does not exist.
         *     - 404 `trash_not_found`: Nothing in the trash has this id; it may have been restored or purged.
         *     - 404 `call_not_found`: The call does not exist, or the journal does not keep it any more.
         *     - 404 `approval_not_found`: The approval does not exist, or the journal does not keep its call any more.
         *     - 404 `grant_not_found`: No decision with this id is remembered for the session; it was revoked or has given way to newer ones.
         *     - 404 `scratchpad_variable_not_found`: The scratchpad has no variable with this name; a new one needs a value.
         *     - 404 `tool_group_not_found`: The session has no tool group with this name.
         *     - 404 `tool_not_found`: The session has no tool with this name.
         *     - 404 `job_not_found`: The job does not exist.
         *     - 404 `write_not_found`: This server knows no such write: it never outlived its request, or it was long ago, or the server was started again.
         *     - 404 `not_found`: The page of the staged writes or promotions does not exist.
         *     - 404 `route_not_found`: No route has this path; `/openapi.json` lists them.
         *     - 405 `method_not_allowed`: The route does not support this method; the `Allow` header lists the supported ones.
         *     - 409 `variable_target_locked`: The floor is generating or committed, so its variables and those of its pages are read-only. To change them, stage the writes on another swipe and commit the floor with its `page_id`.
         *     - 409 `variable_not_a_number`: The variable cannot be incremented: its value is not a number, or the sum exceeds 64 bits.
         *     - 409 `variable_reserved`: The key is the name of the story state, which cannot be written as a variable; take a turn, or edit its snapshot.
         *     - 409 `parent_moved`: The state that the turn or edit builds on has changed; read the state of the branch and retry.
         *     - 409 `approval_settled`: The approval was decided otherwise before, timed out, or its call was cancelled; the message says which. The same decision sent again is answered with the call.
         *     - 409 `sync_conflict`: The branch cannot be made equal to the chat: a floor is generating or has several slots; the message names the floor and the next step.
         *     - 409 `sync_deletes`: The sync would delete floors or swipes, or replace texts, more than it says it may, or more than five and a fifth of the branch without saying so; the message says what to send.
         *     - 409 `nothing_to_restore`: Every page of this item of the trash has another state by now, so nothing would be restored; the item stays in the trash.
         *     - 409 `chat_moved`: The branch differs from `expected_version` or `expected_last`: another client added or changed something. Read those changes, for example with `dry_run` and without expectations, then sync again.
         *     - 409 `branch_busy`: A job is processing the branch, or must process it first because that takes longer than a request; the message names the job. Retry when it has ended.
         *     - 409 `fork_too_deep`: The chain of forks is 256 branches long already; fork a floor of an earlier branch.
         *     - 409 `branch_exists`: The session already has a branch with this id.
         *     - 409 `protected_branch`: The branch `main` cannot be deleted; delete the session instead.
         *     - 409 `branch_local_snapshot_missing`: The floor that the branch was forked from was never committed, so there are no branch values to inherit.
         *     - 409 `rule_protected`: The variable is a skill rule, which can be neither written nor removed; choose another name.
         *     - 409 `invalid_state`: The state of the floor, the page, the job, the call or the server does not allow this now.
         *     - 409 `function_built_in`: The function comes with the program: it can be switched on and off and copied; change a copy of it.
         *     - 409 `import_exists`: The chat or the character of the file is there already; send `if_exists`: `update` makes it equal to the file, `copy` imports it beside.
         *     - 409 `id_taken`: This id or `chat_file` exists already; choose another or leave it out.
         *     - 409 `position_taken`: The position on the branch or the version in the slot is taken; leave it out to get the next free one.
         *     - 409 `confirmation_mismatch`: `confirm` is not the id of the account that would be deleted.
         *     - 410 `events_purged`: Events after this `Last-Event-ID` have been purged; connect without it and read the state again.
         *     - 412 `precondition_failed`: What is there does not match `If-Match` or `If-None-Match`; read it again and retry.
         *     - 413 `payload_too_large`: The body is larger than the route accepts.
         *     - 413 `sync_too_large`: The pages that the sync adds or changes would get more than 64 MiB of text, each text counted as often as it is used; sync the first part of the chat, then a longer part, and so on.
         *     - 413 `import_too_large`: The file, its picture, a message or the number of messages is larger than can be imported; the message says which and how large it may be. Nothing was changed.
         *     - 415 `unsupported_media_type`: The body is not `application/json`.
         *     - 422 `import_unreadable`: The file is no chat and no card that can be read: the message says why, in which line, and what to do. Nothing was changed.
         *     - 422 `patch_failed`: The JSON Patch cannot be applied to the value; `details` names the operation.
         *     - 422 `idempotency_key_reused`: The `Idempotency-Key` was used for another request; use a fresh one for each request.
         *     - 429 `quota_exceeded`: The account has reached a quota; delete something, or ask for a higher quota.
         *     - 431 `head_too_large`: The address and the headers of the request are longer than 64 KiB together; send less.
         *     - 500 `internal_error`: A defect of the server; `details` has the request id to look for in its log.
         *     - 502 `model_unavailable`: The configured model could not be asked or gave no text; the summary stays due. Retry, or send the text yourself.
         *     - 503 `store_unavailable`: The database cannot be used right now; the same request may succeed later. The message says so if the write may have happened.
         *     - 503 `scripts_unavailable`: Functions cannot be run right now: too many turns wait for them, or no worker starts. Nothing was stored; try again.
         *     - 503 `request_timeout`: The request took too long and was given up; nothing was changed and nothing will be. Try again.
         *     - 503 `write_pending`: The request took too long, and its write has begun: it may still happen. `details` has an id; ask `GET /writes/{id}` for the outcome before you send it again, or repeat it under its `Idempotency-Key`.
         *     - 503 `overloaded`: The server holds as many bytes of requests and responses, or as many connections, as it may; nothing was changed. Try again after the time in `Retry-After`.
         *     - 503 `store_damaged`: Stored data is corrupt; `tavernkeep check` reports the corruption, and a backup restores the data.
         *     - 507 `store_full`: The disk is full; free space and retry.
         * @enum {string}
         */
        ErrorCode: "validation_error" | "malformed_request" | "malformed_json" | "invalid_variable_context" | "duplicate_variable_target" | "floor_patch_restricted_field" | "auth_required" | "auth_invalid_credentials" | "auth_account_disabled" | "auth_role_insufficient" | "host_not_allowed" | "origin_not_allowed" | "variable_host_not_found" | "variable_not_found" | "session_not_found" | "branch_not_found" | "floor_not_found" | "source_floor_not_found" | "view_not_found" | "page_not_found" | "snapshot_not_found" | "edit_not_found" | "global_snapshot_not_found" | "character_not_found" | "function_not_found" | "key_not_found" | "browser_not_found" | "account_not_found" | "trash_not_found" | "call_not_found" | "approval_not_found" | "grant_not_found" | "scratchpad_variable_not_found" | "tool_group_not_found" | "tool_not_found" | "job_not_found" | "write_not_found" | "not_found" | "route_not_found" | "method_not_allowed" | "variable_target_locked" | "variable_not_a_number" | "variable_reserved" | "parent_moved" | "approval_settled" | "sync_conflict" | "sync_deletes" | "nothing_to_restore" | "chat_moved" | "branch_busy" | "fork_too_deep" | "branch_exists" | "protected_branch" | "branch_local_snapshot_missing" | "rule_protected" | "invalid_state" | "function_built_in" | "import_exists" | "id_taken" | "position_taken" | "confirmation_mismatch" | "events_purged" | "precondition_failed" | "payload_too_large" | "sync_too_large" | "import_too_large" | "unsupported_media_type" | "import_unreadable" | "patch_failed" | "idempotency_key_reused" | "quota_exceeded" | "head_too_large" | "internal_error" | "model_unavailable" | "store_unavailable" | "scripts_unavailable" | "request_timeout" | "write_pending" | "overloaded" | "store_damaged" | "store_full";
        /** @description What went wrong. */
        ErrorContent: {
            /** @description For programs; keeps its spelling. */
            code: components["schemas"]["ErrorCode"];
            /** @description For people: what was wrong and what to do. */
            message: string;
            /** @description Where exactly: a list of [`Detail`] for `validation_error`, an object with `request_id` for `internal_error`. */
            details?: components["schemas"]["ErrorDetails"];
        };
        /** @description What `details` may hold. */
        ErrorDetails: components["schemas"]["Detail"][] | components["schemas"]["InternalDetails"];
        /**
         * @description The data of an event. The `event` line says which shape it has: `variable.set`, `variable.deleted`,
         *     `variable.promoted`, `ready`, or any other.
         */
        EventData: components["schemas"]["VariableSet"] | components["schemas"]["VariableDeleted"] | components["schemas"]["VariablePromoted"] | components["schemas"]["Ready"] | components["schemas"]["Happened"];
        /**
         * @description When a person is asked before a tool runs.
         * @enum {string}
         */
        ExecutionPolicy: "auto" | "ask-once" | "ask-always";
        /**
         * @description Which functions go into a file.
         * @example {}
         */
        ExportFunctions: {
            /** @description Their ids, in the order of the file; left out, all that authors wrote in the scope. */
            ids?: string[];
        };
        /**
         * @description Versions of the format of files.
         * @enum {string}
         */
        FileVersion: "1.0";
        /** @description One position on a branch. */
        Floor: {
            /**
             * @description Its id.
             * @example floor-a
             */
            id: string;
            /** @description The session. */
            session_id: string;
            /**
             * @description The branch it stands on.
             * @example main
             */
            branch_id: string;
            /**
             * Format: int64
             * @description The position.
             */
            floor_no: number;
            /** @description The floor before it, on its branch or before the fork. */
            parent_floor_id: string | null;
            /** @description Its state. */
            state: components["schemas"]["FloorState"];
            /**
             * Format: int64
             * @description Until when it may stay `generating`.
             */
            lease_expires_at: number | null;
            /** @description Free data of the client. */
            metadata: components["schemas"]["JsonObject"];
            /**
             * Format: int64
             * @description When it was created.
             */
            created_at: number;
            /**
             * Format: int64
             * @description When it last changed.
             */
            updated_at: number;
            /** @description What the change leaves stale on the branch; only in responses to changes. */
            stale?: components["schemas"]["StaleFloors"];
        };
        /** @description What a floor changed in the state. */
        FloorChange: {
            /** @description The floor. */
            floor_id: string;
            /** @description Its story page; null where it has none with a state. */
            page_id: string | null;
            /** @description That page's snapshot. */
            snapshot_id: string | null;
            /** @description What it changed, as JSON Patch; of a state that was changed by hand everything since the page before. */
            change: components["schemas"]["ChangeOperation"][];
            /** @description Whether the state is up to date with the texts; `true` if there is none. */
            fresh: boolean;
            /** @description Whether it was edited by hand. */
            edited: boolean;
            /** @description The commands of the text and their results; only with `include_commands`, and not where the text is another one now. */
            commands?: components["schemas"]["AppliedCommand"][];
            /**
             * @description Problems in the text, and the ops of edits by hand that found no place in its state (`edit_not_applied`); present if
             *     `commands` is.
             */
            problems?: components["schemas"]["ReplyProblem"][];
            /** @description The functions that ran, in order; only with `include_commands`, and absent if none did. */
            functions?: components["schemas"]["RanFunction"][];
            /** @description What functions wrote with `console.log`; only with `include_commands`, and absent if they wrote nothing. */
            log?: components["schemas"]["LogLine"][];
        };
        FloorChangeData: {
            data: components["schemas"]["FloorChange"];
        };
        FloorData: {
            data: components["schemas"]["Floor"];
        };
        FloorList: {
            data: components["schemas"]["Floor"][];
            meta: components["schemas"]["ListMeta"];
        };
        /**
         * @description Changes to a floor. An absent field stays as it is. `state` cannot be patched: `400 floor_patch_restricted_field`.
         * @example {
         *       "metadata": {
         *         "mood": "tense"
         *       }
         *     }
         */
        FloorPatch: {
            /**
             * Format: int64
             * @description A new position on its branch.
             */
            floor_no?: number;
            /** @description New metadata, replacing the old as a whole; `null` clears it. */
            metadata?: components["schemas"]["JsonObject"];
        };
        /**
         * @description The state of a floor: `draft → generating → committed | failed`.
         * @enum {string}
         */
        FloorState: "draft" | "generating" | "committed" | "failed";
        /**
         * @description A branch to fork from a committed floor.
         * @example {
         *       "branch_id": "alt-1"
         *     }
         */
        Fork: {
            /** @description The new branch's id: free text of at most 256 bytes; default a new one. */
            branch_id?: string;
            /** @description The page of the floor that the branch has; default the active one. */
            page_id?: string;
        };
        /** @description The branch that was forked. */
        Forked: {
            /** @description The new branch. */
            branch_id: string;
            /** @description The floor it was forked from. */
            source_floor_id: string | null;
            /**
             * Format: int64
             * @description The position of that floor.
             */
            source_floor_no: number | null;
            /** @description Its session. */
            session_id: string;
            /** @description What is stale on it, with the job that goes on processing it. */
            stale?: components["schemas"]["StaleFloors"];
        };
        ForkedData: {
            data: components["schemas"]["Forked"];
        };
        /** @description A function of the library. */
        Function: {
            /** @description Its id; of those that come with the program `builtin:NAME` or `starter:NAME`. */
            id: string;
            /** @description Whose it is. */
            scope: components["schemas"]["FunctionScope"];
            /** @description The character in whose library it stands; null for the account's. */
            character_id: string | null;
            /**
             * @description Its name.
             * @example HEAL
             */
            name: string;
            /** @description Who calls it. */
            type: components["schemas"]["FunctionType"];
            /** @description Whether it counts in this scope. */
            enabled: boolean;
            /**
             * Format: int64
             * @description The lowest runs first.
             */
            order: number;
            /** @description The pattern of its calls; null where it is called by its name, and for passive functions. */
            pattern: string | null;
            timing: components["schemas"]["Timing"] | null;
            /** @description What it does. */
            description: string;
            /** @description How it is called, for the prompt. */
            signature: string | null;
            /** @description A call, for the prompt. */
            example: string | null;
            /** @description The body of a JavaScript function; of a built-in function what a copy begins with. */
            executor: string;
            /** @description Whether it is one of the eight that the engine does itself: it can be switched and copied, not changed. */
            builtin: boolean;
            /** @description Whether it comes with the program as code, and is off at first: it can be switched and copied, not changed. */
            starter: boolean;
            /** @description What it gets in the way of while it is enabled. */
            conflicts: components["schemas"]["FunctionConflict"][];
            /**
             * @description Only in the answer to an import: what is wrong with the code, with line and column. The function cannot be enabled before
             *     that is changed.
             */
            code_error?: string;
            /**
             * Format: int64
             * @description When it was made; null for what comes with the program.
             */
            created_at: number | null;
            /**
             * Format: int64
             * @description When it last changed; null for what is as it came.
             */
            updated_at: number | null;
        };
        /** @description All things of a kind: a short list that is answered whole. */
        FunctionAll: {
            /** @description The things. */
            data: components["schemas"]["Function"][];
        };
        /** @description What a function gets in the way of. */
        FunctionConflict: {
            /** @description Which kind. */
            kind: components["schemas"]["ConflictKind"];
            /** @description The id of the other function, or the name of the dialect. */
            with: string;
            /** @description What happens then. */
            message: string;
        };
        FunctionData: {
            data: components["schemas"]["Function"];
        };
        /** @description A function in a file or on a card, in the shape that other programs know. */
        FunctionEntry: {
            /** @description Its id. In a file it has no meaning; on a card it names the character's function that is replaced. */
            id?: string | null;
            /** @description Its name. */
            name: string;
            /** @description Who calls it. */
            type: components["schemas"]["FunctionType"];
            /**
             * @description Whether it is enabled; default `true`.
             * @default true
             */
            enabled?: boolean;
            /**
             * Format: int64
             * @description The lowest runs first; default 0.
             * @default 0
             */
            order?: number;
            /** @description The pattern of an active function's calls. */
            pattern?: string | null;
            timing?: components["schemas"]["Timing"] | null;
            /** @description What it does. */
            description?: string;
            /** @description How it is called, for the prompt. */
            signature?: string | null;
            /** @description A call, for the prompt. */
            example?: string | null;
            /** @description The body of a JavaScript function. */
            executor: string;
            /** @description Whether it came with the program it was written by. It has no meaning here. */
            builtin?: boolean;
        };
        /**
         * @description A file of functions.
         * @example {
         *       "version": "1.0",
         *       "functions": [
         *         {
         *           "id": "uuid-xxx",
         *           "name": "时间推进",
         *           "type": "passive",
         *           "enabled": true,
         *           "order": 1,
         *           "timing": "after_active",
         *           "description": "每回合时间自动推进1小时",
         *           "executor": "_.update(snapshot, '世界.时间', (time) => addHours(time, 1));\nreturn snapshot;"
         *         }
         *       ]
         *     }
         */
        FunctionFile: {
            /** @description The version of the format. */
            version: components["schemas"]["FileVersion"];
            /** @description The functions. */
            functions: components["schemas"]["FunctionEntry"][];
        };
        FunctionFileData: {
            data: components["schemas"]["FunctionFile"];
        };
        FunctionList: {
            data: components["schemas"]["Function"][];
            meta: components["schemas"]["ListMeta"];
        };
        /**
         * @description Changes to a function. An absent field stays as it is, `null` clears it. A function of another type loses pattern and timing
         *     unless they are given. Of a function that comes with the program only `enabled` can be changed.
         * @example {
         *       "enabled": false
         *     }
         */
        FunctionPatch: {
            /** @description Another name. */
            name?: string;
            /** @description Another type. */
            type?: components["schemas"]["FunctionType"];
            /** @description Whether it counts. */
            enabled?: boolean;
            /**
             * Format: int64
             * @description Another order.
             */
            order?: number;
            /** @description Another pattern. */
            pattern?: string | null;
            timing?: components["schemas"]["Timing"] | null;
            /** @description Another description. */
            description?: string;
            /** @description Another signature. */
            signature?: string | null;
            /** @description Another example. */
            example?: string | null;
            /** @description Other code. */
            executor?: string;
        };
        /** @description What a prompt says of functions. */
        FunctionPrompt: {
            /** @description The block for the prompt. */
            prompt: string;
        };
        FunctionPromptData: {
            data: components["schemas"]["FunctionPrompt"];
        };
        /**
         * @description Whose functions.
         * @enum {string}
         */
        FunctionScope: "global" | "character";
        /**
         * @description Who calls a function.
         * @enum {string}
         */
        FunctionType: "active" | "passive";
        /**
         * @description How a model starts to write.
         * @example {
         *       "lease_ms": 120000
         *     }
         */
        Generate: {
            /**
             * Format: int64
             * @description How long it may take before the floor counts as failed; default ten minutes.
             */
            lease_ms?: number;
            /**
             * @description Whether a floor that is generating already gets a longer lease instead of a refusal.
             * @default false
             */
            renew?: boolean;
        };
        /** @description A global snapshot. */
        GlobalSnapshot: {
            /** @description Its id. */
            id: string;
            /** @description Its name. */
            name: string;
            /** @description What it is for. */
            description: string | null;
            /** @description Its tags, in their order. */
            tags: string[];
            /** @description The document; only where one is read by itself. */
            body?: components["schemas"]["JsonValue"];
            /**
             * Format: int64
             * @description When it was made.
             */
            created_at: number;
            /**
             * Format: int64
             * @description When it last changed.
             */
            updated_at: number;
        };
        GlobalSnapshotData: {
            data: components["schemas"]["GlobalSnapshot"];
        };
        GlobalSnapshotList: {
            data: components["schemas"]["GlobalSnapshot"][];
            meta: components["schemas"]["ListMeta"];
        };
        /**
         * @description Changes to a global snapshot. An absent field stays as it is.
         * @example {
         *       "tags": [
         *         "act 2",
         *         "ball"
         *       ]
         *     }
         */
        GlobalSnapshotPatch: {
            /** @description A new name. */
            name?: string;
            /** @description A new description, or null for none. */
            description?: string | null;
            tags?: string[];
            /** @description A new document: an object. */
            body?: JsonObject;
        };
        /** @description A decision that counts longer than its call. */
        Grant: {
            /** @description Its id. */
            id: string;
            /** @description Where it counts: `session` or `always`. */
            scope: components["schemas"]["ApprovalScope"];
            /** @description The tool. */
            tool: string;
            /** @description The arguments, references resolved. */
            args: components["schemas"]["JsonValue"];
            /** @description Whether such calls run. */
            approved: boolean;
            /** @description Why they do not. */
            reason?: string;
            /**
             * Format: int64
             * @description When it was made.
             */
            created_at: number;
            /**
             * Format: int64
             * @description Until when it counts; absent: as long as its scope.
             */
            expires_at?: number;
        };
        GrantList: {
            data: components["schemas"]["Grant"][];
            meta: components["schemas"]["ListMeta"];
        };
        /** @description A tool of a group. */
        GroupTool: {
            /** @description Its name. */
            name: string;
            /** @description What it is for. */
            description: string;
            /** @description Whether it is enabled, as far as its group is. */
            enabled: boolean;
            /** @description What counts for it. */
            permission: components["schemas"]["ToolPermission"];
            /** @description What it returns, if it says so. */
            declared_return_type?: components["schemas"]["JsonValue"];
        };
        GroupToolData: {
            data: components["schemas"]["GroupTool"];
        };
        /** @description An event of a session, branch, floor, page, state or job. */
        Happened: {
            /** @description The session. */
            session_id?: string;
            /** @description The branch. */
            branch_id?: string;
            /** @description What it happened to; of a branch, its session; of a state, its snapshot. */
            id: string;
        } & {
            [key: string]: unknown;
        };
        /** @description The server works. */
        Health: {
            /**
             * @description Always `ok`; otherwise the response is an error.
             * @example ok
             */
            status: string;
            /**
             * @description The server's version.
             * @example 0.1.0
             */
            version: string;
            /**
             * @description The database behind it.
             * @example sqlite
             */
            database: string;
        };
        HealthData: {
            data: components["schemas"]["Health"];
        };
        /** @description The value of a path over a chat. */
        History: {
            /** @description The requested path. */
            path: string;
            /** @description The value before the first floor; absent if there was none. */
            before?: components["schemas"]["JsonValue"];
            /** @description One for each floor that changed the value, oldest first. */
            points: components["schemas"]["HistoryPoint"][];
            /** @description The `after` of the next request; null at the end. One response covers at most 2000 floors, so it may have no points. */
            next_after: string | null;
        };
        HistoryData: {
            data: components["schemas"]["History"];
        };
        /** @description One write of a variable. */
        HistoryEntry: {
            /** @description The variable's id then; one that was deleted and made again has another. */
            variable_id: string;
            /** @description `set` or `delete`. */
            op: string;
            /** @description The value; `null` for a deletion. */
            value: components["schemas"]["JsonValue"];
            /** @description How it came: `put`, `increment`, `patch`, `staged`, `promoted`, `restored`, `withdrawn` or `inherited`. */
            source: string;
            /** @description The page that promoted it, if it still exists. */
            page_id?: string | null;
            /**
             * Format: int64
             * @description When.
             */
            created_at: number;
        };
        HistoryEntryList: {
            data: components["schemas"]["HistoryEntry"][];
            meta: components["schemas"]["ListMeta"];
        };
        /** @description A floor that changed a value. */
        HistoryPoint: {
            /** @description The floor. */
            floor_id: string;
            /**
             * Format: int64
             * @description Its position.
             */
            floor_no: number;
            /** @description Its story page. */
            page_id: string;
            /** @description The page's snapshot. */
            snapshot_id: string;
            /** @description The value from here on; absent if there is none any more. */
            value?: components["schemas"]["JsonValue"];
            /**
             * Format: int64
             * @description When: the time of the turn or of the edit.
             */
            at: number;
            /**
             * @description Set if the state was edited by hand.
             * @default false
             */
            edited?: boolean;
            /** @description Whether the state is up to date with the texts before it. */
            fresh: boolean;
        };
        /**
         * @description What to do if the chat or the character is there already.
         * @enum {string}
         */
        IfExists: "refuse" | "update" | "copy";
        /** @description A file in a form. */
        ImportForm: {
            /**
             * Format: binary
             * @description The file. Its name counts as `file_name` does.
             */
            file: string;
            /** @description A world book; may be there several times. */
            book?: string[];
            /** @description The other fields of `ImportRequest`, as text. */
            file_name?: string;
        };
        /**
         * @description What a file is.
         * @enum {string}
         */
        ImportKind: "chat" | "card";
        /**
         * @description What became of an import.
         * @enum {string}
         */
        ImportOutcome: "created" | "updated" | "unchanged";
        /** @description The result of an import. */
        ImportReport: {
            /** @description What the file is. */
            kind: components["schemas"]["ImportKind"];
            /** @description What became of it, or would. */
            outcome: components["schemas"]["ImportOutcome"];
            /** @description Whether nothing was changed. */
            dry_run: boolean;
            /** @description The name of the chat or of the character. */
            name: string;
            /** @description The session of a chat; null for a card, and where it would be created. */
            session_id: string | null;
            /** @description The character of a card, or the one that a chat belongs to. */
            character_id: string | null;
            chat: components["schemas"]["ImportedChat"] | null;
            card: components["schemas"]["ImportedCard"] | null;
            /** @description What was put right, left out or cannot be kept; the first fifty sentences. */
            remarks: string[];
            /** @description How many there are. */
            remarks_count: number;
            updated: components["schemas"]["UpdatedChat"] | null;
            processed: components["schemas"]["ProcessReport"] | null;
            /** @description The job that goes on processing it, if that takes longer than a second; its report has the rest. */
            job_id: string | null;
        };
        ImportReportData: {
            data: components["schemas"]["ImportReport"];
        };
        /**
         * @description A file. The same fields are the parts of a form (`multipart/form-data`), where the file itself is the part `file`, and each world
         *     book a part `book`.
         * @example {
         *       "file_name": "Hana.json",
         *       "content": "{\"name\": \"Hana\", \"first_mes\": \"Good evening.\"}"
         *     }
         */
        ImportRequest: {
            /**
             * @description The name of the file, perhaps with its folder: `Hana/Hana - 2026-11-17.jsonl`. A chat gets its name from it, and both get their
             *     character: the card `Hana.png` and the chats in the folder `Hana` belong together.
             */
            file_name?: string;
            /** @description The file as text. */
            content?: string;
            /** @description The file as Base64, for pictures. */
            content_base64?: string;
            /** @description What it is; left out, the ending of its name and its content say it. */
            kind?: components["schemas"]["ImportKind"];
            /**
             * @description World books, each as SillyTavern keeps it, that count for a card instead of the one inside of it: their `[initvar]` entries are
             *     the first state.
             */
            books?: JsonObject[];
            /** @description The id of the character that a card becomes; the existing character that a chat belongs to. */
            character_id?: string;
            /** @description The id of the session that a chat becomes. */
            session_id?: string;
            /** @description The name of the chat, instead of its file's. */
            chat_file?: string;
            /** @description How commands are read, instead of what the file says: a chat with states of MVU is `mvu` unless its character says otherwise. */
            profile?: components["schemas"]["ProfileChoice"];
            /**
             * @description What to do if the chat or the character is there already.
             * @default refuse
             */
            if_exists?: components["schemas"]["IfExists"];
            /**
             * @description What becomes of the states that MVU stored with the messages.
             * @default keep
             */
            states?: components["schemas"]["ImportedStates"];
            /**
             * Format: int64
             * @description How many floors a chat that is updated may lose, as for a sync.
             */
            max_deleted?: number;
            /**
             * @description Only report what would happen; change nothing.
             * @default false
             */
            dry_run?: boolean;
        };
        /** @description What a card has. */
        ImportedCard: {
            /** @description Greetings. */
            greetings: number;
            /** @description Functions of its own. */
            functions: number;
            /** @description Whether it has a template: its own, or made of `[initvar]` entries and `<initvar>` blocks. */
            template: boolean;
            /** @description Whether it has a picture. */
            image: boolean;
        };
        /** @description What a chat has. */
        ImportedChat: {
            /** @description Messages. */
            messages: number;
            /** @description Swipes of all of them. */
            swipes: number;
            /** @description Messages that SillyTavern keeps out of prompts. They count here. */
            hidden: number;
            /** @description Swipes that MVU stored a state with. */
            states: number;
        };
        /**
         * @description What becomes of the states that MVU stored with messages.
         * @enum {string}
         */
        ImportedStates: "keep" | "recompute";
        /**
         * @description A number to add to a variable.
         * @example {
         *       "scope": "global",
         *       "scope_id": "global",
         *       "key": "visits",
         *       "by": 1
         *     }
         */
        Increment: components["schemas"]["VariableTarget"] & ({
            /**
             * @description How much to add.
             * @default 1
             */
            by?: number;
            /**
             * @description What an absent variable counts as.
             * @default 0
             */
            initial?: number;
        } & {
            [key: string]: components["schemas"]["JsonValue"];
        });
        /**
         * @description How far a staged write goes once its page is accepted.
         * @enum {string}
         */
        Intent: "page_only" | "promote_to_floor_on_accept" | "promote_to_branch_on_accept" | "promote_to_chat_on_accept";
        /** @description Details of a defect of the server. */
        InternalDetails: {
            /** @description The request's id in the server's log. */
            request_id: string;
        };
        /** @description A job. */
        Job: {
            /** @description Its id. */
            id: string;
            /** @description What it does. */
            kind: components["schemas"]["JobKind"];
            /** @description Its state. */
            state: components["schemas"]["JobState"];
            /** @description What it works on: the id that the session or the account had. */
            subject_id: string;
            /**
             * Format: int64
             * @description Rows, or pages of a story, that are done.
             */
            done: number;
            /**
             * Format: int64
             * @description Rows, or pages, in all, as far as is known; 0 for a deletion that has not started.
             */
            total: number;
            /** @description Why it makes no progress; null while it does. */
            problem: string | null;
            /** @description The result of processing so far; only on jobs that process, and where one is read by itself. */
            report?: components["schemas"]["ProcessReport"];
            /**
             * Format: int64
             * @description When it was made.
             */
            created_at: number;
            /**
             * Format: int64
             * @description When it last made progress.
             */
            updated_at: number;
        };
        JobData: {
            data: components["schemas"]["Job"];
        };
        /**
         * @description What a job does.
         * @enum {string}
         */
        JobKind: "delete_session" | "delete_account" | "process_session" | "import_session";
        JobList: {
            data: components["schemas"]["Job"][];
            meta: components["schemas"]["ListMeta"];
        };
        /**
         * @description The state of a job.
         * @enum {string}
         */
        JobState: "waiting" | "running" | "done" | "cancelled" | "failed";
        /** @description A JSON object with anything in it, or null for none. */
        JsonObject: JsonObject | null;
        /** @description Any JSON value, nested at most 128 levels deep. Integers of 64 bits are kept exactly and larger ones are refused; any finite double is kept; an object may not have the same key twice. */
        JsonValue: Json;
        /** @description A key, without its secret. */
        Key: {
            /** @description Its id, with which it is revoked. */
            id: string;
            /**
             * @description Its name.
             * @example console on the laptop
             */
            name: string;
            /** @description What it may do. */
            role: components["schemas"]["Role"];
            /**
             * Format: int64
             * @description When it was created.
             */
            created_at: number;
            /**
             * Format: int64
             * @description When it expires.
             */
            expires_at: number | null;
            /**
             * Format: int64
             * @description When it was revoked.
             */
            revoked_at: number | null;
        };
        KeyList: {
            data: components["schemas"]["Key"][];
            meta: components["schemas"]["ListMeta"];
        };
        /** @description A part of a kit. */
        KitPart: {
            /** @description The text. */
            text: string;
            /** @description Its length. */
            size: components["schemas"]["TextSize"];
        };
        /** @description The state as a view shows it. */
        KitView: {
            /** @description The view; null for a profile without views. */
            name: string | null;
            /**
             * Format: int64
             * @description The floor that changes are shown since.
             */
            changed_since: number | null;
            /** @description The text. */
            text: string;
            /** @description Its length. */
            size: components["schemas"]["TextSize"];
            /** @description What was dropped because it did not fit into the budget. */
            dropped: string[];
        };
        /** @description The raw rows of one layer. */
        Layer: {
            /** @description The kind of host. */
            scope: components["schemas"]["Scope"];
            /** @description The host. */
            scope_id: string;
            /** @description The branch; only on the branch layer. */
            scope_ref?: components["schemas"]["ScopeRef"];
            /** @description Its variables, sorted by key. */
            items: components["schemas"]["Variable"][];
        };
        /** @description The raw rows of each known layer. */
        Layers: {
            /** @description The account's. */
            global?: components["schemas"]["Layer"];
            /** @description The session's. */
            chat?: components["schemas"]["Layer"];
            /** @description The branch's. */
            branch?: components["schemas"]["Layer"];
            /** @description The floor's. */
            floor?: components["schemas"]["Layer"];
            /** @description The page's. */
            page?: components["schemas"]["Layer"];
        };
        /**
         * @description Which part of a list was returned.
         * @example {
         *       "total": 12,
         *       "limit": 2,
         *       "offset": 0,
         *       "has_more": true,
         *       "sort_by": "key",
         *       "sort_order": "asc"
         *     }
         */
        ListMeta: {
            /**
             * Format: int64
             * @description How many rows there are in all; absent with `total=false`.
             */
            total?: number;
            /**
             * Format: int64
             * @description The requested limit.
             */
            limit: number;
            /**
             * Format: int64
             * @description How many rows were skipped.
             */
            offset: number;
            /** @description Whether more rows follow. */
            has_more: boolean;
            /** @description What the rows are sorted by. */
            sort_by: string;
            /** @description In which direction. */
            sort_order: components["schemas"]["SortOrder"];
        };
        /** @description A part of a log. */
        Log: {
            /** @description The floors, oldest first. */
            floors: components["schemas"]["LoggedFloor"][];
            /** @description The `after` of the next request; null at the end. */
            next_after: string | null;
        };
        LogData: {
            data: components["schemas"]["Log"];
        };
        /** @description A line that a function wrote with `console.log`. */
        LogLine: {
            /** @description The name of the function. */
            function: string;
            /** @description What it wrote. */
            text: string;
        };
        /** @description A floor of a log. */
        LoggedFloor: {
            /** @description The floor. */
            floor_id: string;
            /**
             * Format: int64
             * @description Its position.
             */
            floor_no: number;
            /** @description Its state: `draft`, `generating`, `committed` or `failed`. */
            state: string;
            /** @description Its story page, or else its last page. */
            page_id: string | null;
            /** @description The role of the speaker. */
            role: string | null;
            /** @description The speaker's name. */
            name: string | null;
            /** @description The first line of the text, its first 200 characters. */
            text: string;
            /** @description The page's snapshot; null where the page has no state of its own. */
            snapshot_id: string | null;
            /**
             * Format: int64
             * @description Which swipe of its slot the page is, from 1; null where there is no page.
             */
            swipe: number | null;
            /**
             * Format: int64
             * @description How many swipes the slot has.
             */
            swipe_count?: number;
            /** @description What it changed in the state; of a state that was changed by hand everything since the page before. */
            change: components["schemas"]["Difference"][];
            /** @description Commands of the text that were refused; left out if there are none. */
            refused?: components["schemas"]["RefusedCommand"][];
            /**
             * @description Set if the state was edited by hand.
             * @default false
             */
            edited?: boolean;
            /** @description Whether everything up to here is up to date with the texts. */
            fresh: boolean;
        };
        /** @description What a macro writes. */
        MacroMutation: {
            /** @description The id of the staged write. */
            id?: string;
            /** @description `set` or `delete`. */
            kind: string;
            /** @description `branch` or `global`. */
            scope: string;
            /** @description The key of the variable. */
            key: string;
            /** @description The value; objects and lists are JSON in a string. */
            value?: components["schemas"]["JsonValue"];
        };
        /** @description What the macros of a prompt did. */
        MacroTrace: {
            /** @description What is worth a look; at most 1000. */
            warnings: components["schemas"]["MacroWarning"][];
            /** @description The macros that were used, each once. */
            used_names: string[];
            /** @description What the macros would write, in the order of the text. */
            mutation_preview: components["schemas"]["MacroMutation"][];
            /** @description What was staged on the page; empty in a preview. */
            staged_mutations: components["schemas"]["MacroMutation"][];
            /** @description Which macro looked at which variable; at most 1000. */
            traces: components["schemas"]["MacroUse"][];
        };
        /** @description A macro that looked at a variable. */
        MacroUse: {
            /** @description The macro; `.` and `$` for the short forms, empty for a plain name. */
            macro_name: string;
            /** @description The scope that the value came from or would come from; null for a table of TavernHelper. */
            scope: string | null;
            /** @description The path as it was written. */
            path: string;
            /** @description Whether there was a value. */
            found: boolean;
            /**
             * Format: int64
             * @description Which message of the prompt.
             */
            message_index: number;
            /**
             * Format: int64
             * @description Where it starts in the text, in bytes.
             */
            start: number;
            /**
             * Format: int64
             * @description Where it ends, in bytes.
             */
            end: number;
        };
        /** @description Something worth a look. */
        MacroWarning: {
            /** @description What kind of thing it is. */
            code: string;
            /** @description What was wrong and what to do. */
            message: string;
            /** @description The macro, where its name could be read. */
            macro_name: string | null;
            /**
             * Format: int64
             * @description Which message of the prompt.
             */
            message_index: number;
            /**
             * Format: int64
             * @description Where it starts in the text, in bytes.
             */
            start: number;
            /**
             * Format: int64
             * @description Where it ends, in bytes.
             */
            end: number;
        };
        /** @description Where a message of the chat is. */
        MappedFloor: {
            /** @description Which message of the chat it is, from 0. */
            index: number;
            /** @description The floor. */
            floor_id: string;
            /**
             * Format: int64
             * @description Its position.
             */
            floor_no: number;
            /** @description Its active page. */
            page_id: string | null;
            /** @description The page's snapshot; null where the page has no state of its own, or has none yet because a job is processing it. */
            snapshot_id: string | null;
        };
        /** @description The newest state of a branch as a model is shown it. */
        MemoryView: {
            /** @description The page whose state it is; null before the story begins. */
            page_id: string | null;
            /** @description Its snapshot. */
            snapshot_id: string | null;
            /** @description Whether the state is up to date with the texts. */
            fresh: boolean;
            /** @description The state without what is hidden. */
            view: components["schemas"]["JsonValue"];
            /** @description What the model is asked to do now. */
            due: components["schemas"]["Due"][];
            /** @description All of it as text for a prompt: what is due, then a line for each value, with its description behind it. */
            text: string;
        };
        MemoryViewData: {
            data: components["schemas"]["MemoryView"];
        };
        /**
         * @description How an object is merged into another.
         * @enum {string}
         */
        Merge: "deep" | "deep_by_index" | "shallow";
        /**
         * @description Where a function goes.
         * @example {
         *       "scope": "global"
         *     }
         */
        MoveFunction: {
            /** @description The new scope. */
            scope: components["schemas"]["FunctionScope"];
            /** @description With `character`: the character. */
            character_id?: string;
        };
        /** @description Where MVU's own schema comes from. */
        MvuSchemaSource: boolean | components["schemas"]["JsonObject"];
        /** @description A named profile as it is. */
        NamedProfile: {
            /** @description Its name. */
            name: components["schemas"]["ProfileName"];
            /** @description What it is for. */
            description: string;
            /** @description The dialects that it reads, in the order in which a prompt kit explains them. */
            dialects: components["schemas"]["DialectName"][];
            /**
             * @description The rule packs that it uses.
             * @example [
             *       "memory"
             *     ]
             */
            packs: string[];
            /** @description All its fields, which a profile with it as `base` may change one by one. */
            fields: components["schemas"]["JsonObject"];
        };
        /** @description All things of a kind: a short list that is answered whole. */
        NamedProfileAll: {
            /** @description The things. */
            data: components["schemas"]["NamedProfile"][];
        };
        /**
         * @description A call to make.
         * @example {
         *       "tool": "ReadVar",
         *       "args": {
         *         "name": "Rule/Agent/VarRef"
         *       }
         *     }
         */
        NewCall: {
            /** @description The tool's name. */
            tool: string;
            /** @description Its arguments, an object; `$VAR_REF{{name}}` in their texts is replaced. */
            args?: components["schemas"]["JsonObject"];
            /** @description The page that is being generated: where tools stage writes. */
            page_id?: string;
            /** @description The branch; default `main`. */
            branch_id?: string;
            /** @description For the host, never for a model: nobody is asked before it runs. */
            skip_execution_approval?: boolean;
            /** @description For the host, never for a model: nobody is asked about the result. */
            skip_result_approval?: boolean;
        };
        /**
         * @description A character to create.
         * @example {
         *       "name": "Yuki",
         *       "template": {
         *         "yuki": {
         *           "affinity": 0
         *         }
         *       },
         *       "greetings": [
         *         "Good evening."
         *       ]
         *     }
         */
        NewCharacter: {
            /** @description Your own id; default a new UUID. */
            id?: string;
            /** @description Its name; at most 1024 bytes. */
            name: string;
            /**
             * @description Whether texts of its sessions are processed; default `true`.
             * @default true
             */
            enabled?: boolean;
            profile?: components["schemas"]["ProfileChoice"] | null;
            /** @description The state that its stories start from, an object; default empty. */
            template?: components["schemas"]["JsonObject"];
            /** @description The texts that a session can begin with. */
            greetings?: string[];
            /** @description Its own functions, as cards have them. They get new ids. */
            functions?: components["schemas"]["FunctionEntry"][];
        };
        /**
         * @description A floor to create.
         * @example {
         *       "session_id": "sess_001",
         *       "branch_id": "main",
         *       "floor_no": 0
         *     }
         */
        NewFloor: {
            /** @description Your own id; default a new UUID. */
            id?: string;
            /** @description The session. */
            session_id: string;
            /** @description The branch; default `main`; a new name registers the branch. Free text of at most 256 bytes. */
            branch_id?: string;
            /**
             * Format: int64
             * @description The position; default the next free one.
             */
            floor_no?: number;
            /** @description The floor that a new branch forks from. On an existing branch it must be the one before the new floor. */
            parent_floor_id?: string;
            /** @description Its initial state; default `draft`. */
            state?: components["schemas"]["FloorState"];
            /**
             * Format: int64
             * @description How long a floor that starts as `generating` may stay so.
             */
            lease_ms?: number;
            /** @description Free data of the client. */
            metadata?: components["schemas"]["JsonObject"];
        };
        /**
         * @description A function to create.
         * @example {
         *       "name": "HEAL",
         *       "type": "active",
         *       "description": "治疗",
         *       "signature": "@.HEAL(amount);",
         *       "example": "@.HEAL(5);",
         *       "executor": "const [amount] = args;\n_.update(snapshot, 'hp', (hp) => Math.min(100, hp + amount));\nreturn snapshot;"
         *     }
         */
        NewFunction: {
            /** @description Your own id; default a new UUID. */
            id?: string;
            /**
             * @description Its name: one line of at most 128 bytes. An active function without a pattern is called by its name, which then consists
             *     of letters, digits and `_`, at most 64 bytes.
             */
            name: string;
            /** @description Who calls it. */
            type: components["schemas"]["FunctionType"];
            /**
             * @description Whether it counts at once; default `true`.
             * @default true
             */
            enabled?: boolean;
            /**
             * Format: int64
             * @description The lowest runs first; default 0.
             * @default 0
             */
            order?: number;
            /**
             * @description Of an active function: a JavaScript pattern, `/…/flags` or just the pattern; its groups are the arguments. Without one
             *     the function is called as `@.NAME(…)`.
             */
            pattern?: string | null;
            timing?: components["schemas"]["Timing"] | null;
            /** @description What it does, for people and for the prompt. */
            description?: string;
            /** @description How it is called, for the prompt: one line. */
            signature?: string | null;
            /** @description A call, for the prompt: one line. */
            example?: string | null;
            /** @description The body of a JavaScript function with `snapshot`, `args`, `context` and `_`. */
            executor: string;
        };
        /**
         * @description A global snapshot to create. Its document is given as `body`, or taken from a page or a snapshot: exactly one of the three.
         * @example {
         *       "name": "before the ball",
         *       "tags": [
         *         "act 2"
         *       ],
         *       "body": {
         *         "yuki": {
         *           "affinity": 40
         *         }
         *       }
         *     }
         */
        NewGlobalSnapshot: {
            /** @description Your own id; default a new UUID. */
            id?: string;
            /** @description Its name; at most 1024 bytes. */
            name: string;
            /** @description What it is for; at most 16384 bytes. */
            description?: string | null;
            tags?: string[];
            /** @description The document: an object. */
            body?: JsonObject;
            /** @description The page whose state is copied. */
            page_id?: string;
            /** @description The snapshot whose state is copied. */
            snapshot_id?: string;
        };
        /**
         * @description A key to create.
         * @example {
         *       "name": "console on the laptop",
         *       "role": "admin"
         *     }
         */
        NewKey: {
            /** @description Its name; at most 1024 bytes. */
            name: string;
            /** @description What it may do. */
            role: components["schemas"]["Role"];
            /**
             * Format: int64
             * @description When it expires; never if absent or null.
             */
            expires_at?: number | null;
        };
        /** @description A page whose text goes to the scratchpad. */
        NewMessageCache: {
            /** @description The page. */
            page_id: string;
        };
        /**
         * @description A page to create.
         * @example {
         *       "floor_id": "floor-a",
         *       "page_kind": "output",
         *       "role": "assistant",
         *       "content": "She smiles."
         *     }
         */
        NewPage: {
            /** @description Your own id; default a new UUID. */
            id?: string;
            /** @description The floor. */
            floor_id: string;
            /**
             * Format: int64
             * @description The slot.
             * @default 0
             */
            page_no?: number;
            /**
             * Format: int64
             * @description The swipe within the slot; default the next one.
             */
            version?: number;
            /** @description What it holds; default `mixed`. */
            page_kind?: components["schemas"]["PageKind"];
            /** @description Whether it becomes the chosen swipe; default `true`; the first one of a slot always does. */
            is_active?: boolean;
            /** @description The role of the speaker; at most 1024 bytes. */
            role?: string | null;
            /** @description The speaker's name; at most 1024 bytes. */
            name?: string | null;
            /** @description The text. */
            content?: string | null;
            /** @description Free data of the client. */
            extra?: components["schemas"]["JsonObject"];
        };
        /**
         * @description A session to create. All fields are optional.
         * @example {
         *       "title": "A quiet evening",
         *       "metadata": {
         *         "character": "Yuki"
         *       }
         *     }
         */
        NewSession: {
            /** @description Your own id; default a new UUID. */
            id?: string;
            /** @description Its name; at most 1024 bytes. */
            title?: string | null;
            /** @description Free data of the client. */
            metadata?: components["schemas"]["JsonObject"];
            /** @description The name of the chat in a front end, the session's id when it is left out; at most 1024 bytes. */
            chat_file?: string;
            /** @description Its character, whose profile and template are used where the session has none of its own. */
            character_id?: string | null;
            /**
             * @description The texts that the story can begin with, the character's when they are left out. They become floor 0 with a swipe
             *     each, the first one active and all of them processed.
             */
            greetings?: string[];
            profile?: components["schemas"]["ProfileChoice"] | null;
            /** @description The state that the story starts from, an object; the character's when it is left out, or empty. */
            template?: components["schemas"]["JsonObject"];
            /** @description The name of the story's state among its variables; null or left out for `vs_stat_data`. */
            state_variable?: string | null;
        };
        /**
         * @description A write to stage on a page.
         * @example {
         *       "key": "mood",
         *       "op": "set",
         *       "value": "steady",
         *       "reason": "she calmed down"
         *     }
         */
        NewStagedWrite: {
            /** @description The key; at most 512 bytes. */
            key: string;
            /** @description What to do. */
            op: components["schemas"]["StagedOp"];
            /** @description The value; needed for `set`. */
            value?: components["schemas"]["JsonValue"];
            /** @description How far it goes; default `promote_to_floor_on_accept`. */
            intent?: components["schemas"]["Intent"];
            /** @description What happens where the target has the key; default `replace`. */
            conflict_policy?: components["schemas"]["ConflictPolicy"];
            /** @description Who proposes it; default `unknown`. */
            source_kind?: components["schemas"]["SourceKind"];
            /** @description Why; at most 1024 bytes. */
            reason?: string | null;
            /** @description Where it comes from. */
            source?: components["schemas"]["JsonValue"];
            /** @description Evidence for it. */
            evidence?: components["schemas"]["JsonValue"];
        };
        /**
         * @description A summary to add.
         * @example {
         *       "text": "They met in the forest and agreed to travel north.",
         *       "key": "黑森林 03月05日"
         *     }
         */
        NewSummary: {
            /** @description The branch; default `main`. */
            branch_id?: string;
            /** @description The summary. Left out, the configured model writes one, if one is due. */
            text?: string;
            /** @description Its key in `summary.big`; default: place, date and time of the state. A key that is taken gets a number. */
            key?: string;
            /** @description The reason, shown with the edits of the page. */
            reason?: string;
            /**
             * @description Whether the model writes one that is not due yet.
             * @default false
             */
            force?: boolean;
        };
        /**
         * @description Another template, of a character or a session.
         * @example {
         *       "template": {
         *         "yuki": {
         *           "affinity": 0
         *         }
         *       }
         *     }
         */
        NewTemplate: {
            /** @description The state that stories start from, an object; null for an empty one, on a session for its character's. */
            template: components["schemas"]["JsonObject"];
        };
        /** @description A tool that an application runs. */
        NewTool: {
            /** @description The OpenAI function: `{"type":"function","function":{"name","description","parameters"}}`. */
            definition: components["schemas"]["JsonValue"];
            /** @description When a person is asked; default `auto` and `never`. */
            permission?: components["schemas"]["ToolPermission"];
            /**
             * Format: int64
             * @description Characters of a result that a model sees; default 8000.
             */
            DEFAULT_OUTPUT_LIMIT_CHAR?: number;
            /** @description Whether results are never cut. */
            SKIP_EXTERNAL_TRUNCATE?: boolean;
            /** @description Whether results never go to the scratchpad. */
            SKIP_CACHE_RESULT?: boolean;
            /** @description How a result that is too long is cut: `head_tail`, the default, `head` or `lines`. */
            truncation?: components["schemas"]["Truncation"];
            /** @description What the tool returns: `{"type", "note"?}`. */
            declaredReturnType?: components["schemas"]["JsonObject"];
        };
        /**
         * @description A group of tools that an application registers and runs.
         * @example {
         *       "name": "weather",
         *       "tools": [
         *         {
         *           "definition": {
         *             "type": "function",
         *             "function": {
         *               "name": "Forecast",
         *               "description": "Tells the weather of a place.",
         *               "parameters": {
         *                 "type": "object",
         *                 "properties": {
         *                   "place": {
         *                     "type": "string"
         *                   }
         *                 }
         *               }
         *             }
         *           },
         *           "permission": {
         *             "executionPolicy": "ask-once"
         *           }
         *         }
         *       ]
         *     }
         */
        NewToolGroup: {
            /** @description Its name; at most 128 bytes. */
            name: string;
            /** @description Its tools. */
            tools: components["schemas"]["NewTool"][];
            /** @description What a model has to know about the group. */
            rulePrompt?: string;
            /** @description Rules by their names: `{"desc", "prompt", "when"?, "alwaysLoad"?}`. */
            declareSkillRules?: components["schemas"]["JsonObject"];
        };
        /**
         * @description A turn to take.
         * @example {
         *       "role": "assistant",
         *       "content": "She smiles. _.set('yuki.affinity', 40, 42);//a good talk"
         *     }
         */
        NewTurn: {
            /**
             * @description The role of the speaker; at most 1024 bytes. What `user`, `system` and `tool` say becomes an `input` page, everything else an
             *     `output` page.
             */
            role: string;
            /** @description The speaker's name; at most 1024 bytes. */
            name?: string | null;
            /** @description The text. */
            content: string;
            /** @description The branch; default `main`. It must exist. */
            branch_id?: string;
            /**
             * Format: int64
             * @description The position; default the next free one.
             */
            floor_no?: number;
            /** @description The floor that this is another swipe of; then branch and position are the floor's, and other ones are refused. */
            swipe_of?: string;
            /**
             * @description Your own id for the page. A turn that is sent again with it is taken once and answered as it was then, or with the state
             *     that the page has got since; another turn with the same id is `409 id_taken`.
             */
            page_id?: string;
            /**
             * @description What the turn must build on: the nearest page before it that has a state, or its snapshot; null for none, the story
             *     begins here. `409 parent_moved` if it is another one.
             */
            expected_parent?: string | null;
            /**
             * @description Whether the answer has the whole state.
             * @default false
             */
            include_state?: boolean;
        };
        /**
         * @description A body without fields.
         * @example {}
         */
        Nothing: JsonObject;
        /** @description Rule packs of a profile. */
        PackChoice: components["schemas"]["StringOneOrMany"] | components["schemas"]["JsonObject"];
        /** @description One candidate text at a position. */
        Page: {
            /**
             * @description Its id.
             * @example page-a
             */
            id: string;
            /** @description The floor. */
            floor_id: string;
            /**
             * Format: int64
             * @description The slot on the floor.
             */
            page_no: number;
            /**
             * Format: int64
             * @description The swipe within the slot, from 0.
             */
            version: number;
            /** @description What it holds. */
            page_kind: components["schemas"]["PageKind"];
            /** @description Whether it is the chosen swipe of its slot. */
            is_active: boolean;
            /**
             * @description The role of the speaker: `user`, `assistant`, `system` or anything else.
             * @example assistant
             */
            role: string | null;
            /**
             * @description The speaker's name.
             * @example Yuki
             */
            name: string | null;
            /**
             * @description The text; left out of a list that was asked for with `content=false`.
             * @example She smiles.
             */
            content?: string | null;
            /** @description Free data of the client. */
            extra: components["schemas"]["JsonObject"];
            /**
             * Format: int64
             * @description When it was created.
             */
            created_at: number;
            /**
             * Format: int64
             * @description When it last changed.
             */
            updated_at: number;
            /** @description What the change leaves stale on the branch; only in responses to changes. */
            stale?: components["schemas"]["StaleFloors"];
            /**
             * @description How many edits by hand of its state rest, since no commands are read from the page; only in the answer to a change of its
             *     `role` or `page_kind`. They count again when the page is the model's again.
             */
            resting_edits?: number;
        };
        PageData: {
            data: components["schemas"]["Page"];
        };
        /**
         * @description A branch to fork from a page.
         * @example {
         *       "branch_id": "alt-1"
         *     }
         */
        PageFork: {
            /** @description As for a floor. */
            branch_id?: string;
        };
        /**
         * @description What a page holds.
         * @enum {string}
         */
        PageKind: "input" | "output" | "mixed";
        PageList: {
            data: components["schemas"]["Page"][];
            meta: components["schemas"]["ListMeta"];
        };
        /**
         * @description Changes to a page. An absent field stays as it is, `null` clears it.
         * @example {
         *       "content": "She laughs."
         *     }
         */
        PagePatch: {
            /** @description What it holds. */
            page_kind?: components["schemas"]["PageKind"];
            /** @description The role of the speaker; at most 1024 bytes. */
            role?: string | null;
            /** @description The speaker's name; at most 1024 bytes. */
            name?: string | null;
            /** @description The text. */
            content?: string | null;
            /** @description Free data of the client; replaces the old as a whole. */
            extra?: components["schemas"]["JsonObject"];
        };
        /**
         * @description What an operation of JSON Patch does.
         * @enum {string}
         */
        PatchOp: "add" | "remove" | "replace" | "move" | "copy" | "test";
        /** @description One operation of JSON Patch. `add`, `replace` and `test` need `value`, `move` and `copy` need `from`. */
        PatchOperation: {
            /** @description What to do. */
            op: components["schemas"]["PatchOp"];
            /** @description Where: a JSON Pointer. */
            path: string;
            /** @description From where: a JSON Pointer. */
            from?: string;
            /** @description What with. */
            value?: components["schemas"]["JsonValue"];
        };
        /** @description A write whose request was answered `write_pending`. */
        PendingWrite: {
            /** @description The id that the answer named. */
            id: string;
            /** @description Whether it is done. */
            state: components["schemas"]["WriteState"];
            /**
             * Format: int32
             * @description The status that the request would have been answered with: from 200 to 299 if it happened.
             */
            response_status?: number;
            /** @description The body of that answer, up to 64 KiB. */
            response?: JsonObject;
        };
        PendingWriteData: {
            data: components["schemas"]["PendingWrite"];
        };
        /**
         * @description An older word for a policy.
         * @enum {string}
         */
        PermissionLevel: "public" | "moderate" | "sensitive";
        /**
         * @description Which pages are processed.
         * @enum {string}
         */
        ProcessMode: "stale" | "latest" | "all";
        /** @description The result of processing. */
        ProcessReport: {
            /** @description Pages that got another state, or would. */
            processed: number;
            /** @description How many of the pages that were processed or unchanged have edits by hand, which count on. */
            kept_edited: number;
            /** @description Pages that were looked at and need nothing. */
            unchanged: number;
            /** @description Commands in all their texts together that were refused; see `GET /floors/{id}/change?include_commands=true`. */
            refused: number;
            /** @description Problems in all their texts together. */
            problems: number;
            /** @description Pages of these whose stored state is not what their texts lead to; with `mode` `all`. */
            differing: number;
            /** @description The first hundred pages that got another state. */
            floors: components["schemas"]["ProcessedFloor"][];
            /** @description Whether there are more than are listed; `processed` counts all of them. */
            floors_more: boolean;
            /** @description Whether nothing was stored. */
            dry_run: boolean;
            /**
             * @description Set if nothing was processed because the session's character is disabled.
             * @default false
             */
            disabled?: boolean;
            /** @description How the states that came with an imported chat compare with ours; left out for other chats. */
            states?: components["schemas"]["ComparedStates"];
        };
        ProcessReportData: {
            data: components["schemas"]["ProcessReport"];
        };
        /**
         * @description What to process. All fields are optional.
         * @example {
         *       "mode": "stale"
         *     }
         */
        ProcessRequest: {
            /** @description The branch; default all of them, and `main` with `from_floor` or `mode` `latest`. */
            branch_id?: string;
            /**
             * Format: int64
             * @description From this position on everything is processed, whether it fits or not. Not with `mode` `latest`.
             */
            from_floor?: number;
            /** @description Which pages; default `stale`. */
            mode?: components["schemas"]["ProcessMode"];
            /**
             * @description Only report what would happen; change nothing.
             * @default false
             */
            dry_run?: boolean;
            /**
             * @description Whether edits by hand are taken back, so that the texts alone count; otherwise they are applied again. Those stay that are made
             *     after the request. Without `mode` and `from_floor` on all pages of the branch, and only pages that are edited or stale are
             *     processed.
             * @default false
             */
            overwrite_edited?: boolean;
        };
        /** @description One page that got another state. */
        ProcessedFloor: {
            /** @description The floor. */
            floor_id: string;
            /**
             * Format: int64
             * @description Its position.
             */
            floor_no: number;
            /** @description The page. */
            page_id: string;
            /** @description How many operations its text came to. */
            changes: number;
            /** @description How many of its commands were refused. */
            refused: number;
            /** @description Problems. */
            problems: number;
            /** @description Whether the stored state is not what the text leads to; with `mode` `all`, where there was one. */
            differs?: boolean;
        };
        /**
         * @description A profile that differs from a named one.
         * @example {
         *       "base": "strict",
         *       "create_missing": true
         *     }
         */
        ProfileChanges: {
            /** @description The profile it starts from; default `default`. */
            base?: components["schemas"]["ProfileName"];
            dialects?: components["schemas"]["DialectNameOneOrMany"] | null;
            /** @description Whether `[value, "description"]` is a pair whose first item takes the writes. */
            pairs?: boolean;
            /** @description Whether a write may create what is missing. */
            create_missing?: components["schemas"]["CreateMissing"];
            /** @description What happens when a value would change its kind. */
            type_change?: components["schemas"]["TypeChange"];
            /** @description How objects are merged. */
            merge?: components["schemas"]["Merge"];
            /** @description Whether text inside `<think>` and `<thinking>` is skipped. */
            skip_thinking?: boolean;
            only_in_tags?: components["schemas"]["StringOneOrMany"] | null;
            /** @description Whether floors written by a person are read too. */
            user_floors?: boolean;
            /** @description Whether keys that start with `_` are read-only for a model. */
            underscore_read_only?: boolean;
            /** @description Whether a patch may write read-only keys with `forced_set`. */
            forced_set?: boolean;
            time_path?: components["schemas"]["StringOneOrMany"] | null;
            schema?: components["schemas"]["JsonObject"] | null;
            mvu_schema?: components["schemas"]["MvuSchemaSource"] | null;
            disabled?: components["schemas"]["StringOneOrMany"] | null;
            /**
             * Format: int64
             * @description How many replies before the current one a rule may look at.
             */
            recent_texts?: number;
            packs?: components["schemas"]["PackChoice"] | null;
            /** @description How the state is shown to a model, by name; the first one is what a prompt kit shows. */
            views?: components["schemas"]["JsonObject"];
            /** @description Whether a prompt kit says which commands of the last reply were refused. */
            note?: boolean;
        };
        /** @description A profile: its name, or a name with changes. */
        ProfileChoice: components["schemas"]["ProfileName"] | components["schemas"]["ProfileChanges"];
        /**
         * @description The profiles that have a name.
         * @enum {string}
         */
        ProfileName: "default" | "strict" | "mvu" | "mvu_zod" | "memory";
        /** @description One hop of a value from a page to its floor, or on to branch or chat. */
        Promotion: {
            /** @description Public id. */
            id: string;
            /** @description The staged write that asked for it; `null` for a value that was put on the page. */
            staged_write_id?: string | null;
            /** @description The key. */
            key: string;
            /** @description The scope the value was on. */
            from_scope: components["schemas"]["Scope"];
            /** @description The host the value was on. */
            from_scope_id: string;
            /** @description The scope it went to. */
            to_scope: components["schemas"]["Scope"];
            /** @description The host it went to. */
            to_scope_id: string;
            /** @description What happened where the target had the key. */
            conflict_policy: string;
            /** @description The variable it was. */
            source_variable_id?: string | null;
            /** @description The variable it became. */
            target_variable_id?: string | null;
            /** @description The value; `null` for the promotion of a deletion. */
            value: components["schemas"]["JsonValue"];
            /**
             * Format: int64
             * @description When.
             */
            created_at: number;
        };
        /** @description The promotions of a page. */
        Promotions: {
            /** @description The page. */
            page_id: string;
            /** @description Its floor. */
            floor_id: string;
            /** @description Its session. */
            session_id: string;
            /** @description Its branch. */
            branch_id: string;
            /** @description In the order they happened. */
            items: components["schemas"]["Promotion"][];
        };
        PromotionsData: {
            data: components["schemas"]["Promotions"];
        };
        /** @description What a model needs to know before it writes. */
        PromptKit: {
            /** @description The session. */
            session_id: string;
            /** @description The branch. */
            branch_id: string;
            /** @description The profile that the session's is based on. */
            profile: string;
            /** @description The state that is shown. */
            state: components["schemas"]["PromptState"];
            /** @description The state as the view shows it. */
            view: components["schemas"]["KitView"];
            functions: components["schemas"]["KitPart"] | null;
            /** @description How commands are written, with examples for this state. */
            rules: components["schemas"]["KitPart"];
            note: components["schemas"]["KitPart"] | null;
            /** @description The length of all parts together. */
            size: components["schemas"]["TextSize"];
        };
        PromptKitData: {
            data: components["schemas"]["PromptKit"];
        };
        /** @description A message of a prompt. */
        PromptMessage: {
            /** @description Who speaks; at most 1024 bytes. */
            role: string;
            /** @description The text; at most 4194304 bytes. */
            content: string;
        };
        /**
         * @description A prompt to render: one text, or a list of messages.
         * @example {
         *       "text": "{{getvar::mood}} {{view::status}}",
         *       "branch_id": "main"
         *     }
         */
        PromptRequest: {
            /** @description The text; at most 4194304 bytes. */
            text?: string;
            /**
             * @description Messages instead of a text; they are rendered in order, so that a later one sees what an earlier one wrote. Together at
             *     most 4194304 bytes.
             */
            messages?: components["schemas"]["PromptMessage"][];
            /** @description The branch; default `main`, or that of the page. */
            branch_id?: string;
            /** @description The floor that a branch would be forked from which does not exist yet: the prompt sees what was visible there. */
            source_floor_id?: string;
            /** @description The page that is generated. A rendering stages what the macros write on it; a preview only looks from there. */
            page_id?: string;
            /** @description The name of the user; at most 1024 bytes. */
            user?: string;
            /** @description The name of the character; default that of the session's character. At most 1024 bytes. */
            char?: string;
            /**
             * Format: int64
             * @description What `random`, `pick` and `roll` depend on; default a new one for each request.
             */
            seed?: number;
            /**
             * Format: int64
             * @description The time in milliseconds since 1970; default now.
             */
            now?: number;
            /**
             * Format: int64
             * @description How many minutes the reader's clock is ahead of UTC.
             */
            utc_offset_minutes?: number;
        };
        /** @description Where a prompt was rendered. */
        PromptScope: {
            /** @description The session. */
            session_id: string;
            /** @description The branch. */
            target_branch_id: string;
            /** @description Whether the branch exists. */
            branch_exists: boolean;
            /** @description The floor that the branch was or would be forked from. */
            source_floor_id: string | null;
            /** @description The branch whose values are read. */
            history_source_branch_id: string;
            /** @description `existing_branch`, or `source_floor` for a branch that does not exist yet. */
            history_source_mode: string;
            /** @description The floor of the page. */
            floor_id: string | null;
            /** @description The page. */
            page_id: string | null;
        };
        /** @description The state that a prompt or a kit shows. */
        PromptState: {
            /** @description The snapshot; null for the template. */
            snapshot_id: string | null;
            /** @description Its page. */
            page_id: string | null;
            /** @description Its floor. */
            floor_id: string | null;
            /** @description Whether it is up to date with the texts before it. */
            fresh: boolean;
        };
        /**
         * @description A limit and its use.
         * @example {
         *       "used": 12,
         *       "trashed": 0,
         *       "max": 100000
         *     }
         */
        Quota: {
            /**
             * Format: int64
             * @description Used.
             */
            used: number;
            /**
             * Format: int64
             * @description How much of that is in the trash; purging it makes room.
             */
            trashed: number;
            /**
             * Format: int64
             * @description Allowed.
             */
            max: number;
        };
        /** @description What an account has, and what it may have. */
        Quotas: {
            /** @description Sessions. */
            sessions: components["schemas"]["Quota"];
            /** @description Variables on all scopes together. */
            variables: components["schemas"]["Quota"];
            /** @description Keys that are neither revoked nor expired. */
            keys: components["schemas"]["Quota"];
        };
        /** @description A function that ran in a turn. */
        RanFunction: {
            /** @description Its name. */
            function: string;
            /** @description What came of it. */
            status: components["schemas"]["CommandStatus"];
            /**
             * Format: int64
             * @description How many operations of the change are its doing.
             */
            operations: number;
            /**
             * Format: int64
             * @description The place in `commands` of the command that called it; absent for one that ran by itself.
             */
            command?: number;
            /** @description Of a refused one: why. */
            code?: string;
            /** @description Of a refused or repaired one, for people. */
            message?: string;
        };
        /** @description The stream has begun: `ready`, the first event of every stream. */
        Ready: {
            /** @description The position where the stream begins: only events after it follow. It can be sent as `Last-Event-ID`. */
            id: string;
        };
        /**
         * @description A command that did nothing.
         * @example {
         *       "name": "SUB",
         *       "code": "missing_path",
         *       "message": "nothing at `hp`"
         *     }
         */
        RefusedCommand: {
            /** @description What was to be done, as the dialect names it. */
            name: string;
            /** @description Why, for programs. */
            code: string;
            /** @description Why, for people and models. */
            message: string;
        };
        /** @description The response to the removal of a variable. */
        RemovedVariable: {
            /** @description Its name. */
            name: string;
            /** @description That it is gone. */
            deleted: boolean;
        };
        RemovedVariableData: {
            data: components["schemas"]["RemovedVariable"];
        };
        /** @description A floor or page that came back under another id. */
        Renamed: {
            /** @description `floor` or `page`. */
            kind: string;
            /** @description The id that it had. */
            old_id: string;
            /** @description The id that it has now. */
            id: string;
        };
        /** @description A message that was rendered. */
        RenderedMessage: {
            /** @description Who speaks. */
            role: string;
            /** @description The text. */
            content: string;
            /** @description Its length. */
            size: components["schemas"]["TextSize"];
        };
        /** @description A prompt that was rendered. */
        RenderedPrompt: {
            /** @description Where it was rendered. */
            scope: components["schemas"]["PromptScope"];
            state: components["schemas"]["PromptState"] | null;
            /** @description The text; of several messages all of them, with line breaks between them. */
            text: string;
            /** @description The messages; absent for a text. */
            messages?: components["schemas"]["RenderedMessage"][];
            /** @description The length of the text. */
            size: components["schemas"]["TextSize"];
            /** @description The views that were shown. */
            views: components["schemas"]["RenderedView"][];
            /**
             * Format: int64
             * @description The seed of `random`, `pick` and `roll`.
             */
            seed: number;
            /**
             * Format: int64
             * @description The time it was rendered for.
             */
            now: number;
            /** @description What happened. */
            runtime_trace: components["schemas"]["RuntimeTrace"];
        };
        RenderedPromptData: {
            data: components["schemas"]["RenderedPrompt"];
        };
        /** @description A view in a prompt. */
        RenderedView: {
            /** @description Its name. */
            name: string;
            /**
             * Format: int64
             * @description The floor that changes are shown since.
             */
            changed_since: number | null;
            /** @description Its length. */
            size: components["schemas"]["TextSize"];
            /** @description What was dropped because it did not fit into the budget, in the order in which it went. */
            dropped: string[];
        };
        /** @description Another order of functions. */
        ReorderFunctions: {
            /** @description The ids of all functions that authors wrote in the scope, each once. */
            ids: string[];
        };
        /**
         * @description A problem in a reply.
         * @example {
         *       "code": "stale_old_value",
         *       "message": "claimed 33, stored 40",
         *       "span": [
         *         12,
         *         43
         *       ]
         *     }
         */
        ReplyProblem: {
            /** @description For programs; keeps its spelling. */
            code: string;
            /** @description For people. */
            message: string;
            /** @description Where in the reply. */
            span: components["schemas"]["Span"];
        };
        /** @description The place of the parameters. Unknown parts are absent. */
        ResolveContext: {
            /**
             * @description The account.
             * @example default-admin
             */
            account_id: string;
            /** @description The session. */
            session_id: string;
            /** @description The branch, given or derived. */
            branch_id?: string;
            /** @description The floor, given or derived. */
            floor_id?: string;
            /** @description The page. */
            page_id?: string;
            /**
             * @description Always `global`.
             * @example global
             */
            global_scope_id: string;
        };
        /** @description What is visible from one place. */
        Resolved: {
            /** @description The place. */
            context: components["schemas"]["ResolveContext"];
            /** @description The winner of each key, sorted by key. */
            resolved: components["schemas"]["ResolvedVariable"][];
            /** @description The raw rows of each known layer; only with `include_layers=true`. */
            layers?: components["schemas"]["Layers"];
        };
        ResolvedData: {
            data: components["schemas"]["Resolved"];
        };
        /** @description The winner of one key. */
        ResolvedVariable: {
            /** @description The key. */
            key: string;
            /** @description The value that wins. */
            value: components["schemas"]["JsonValue"];
            /** @description The scope it comes from. */
            source_scope: components["schemas"]["Scope"];
            /** @description The host it comes from. */
            source_scope_id: string;
            /** @description The branch it comes from; only when the scope is `branch`. */
            source_scope_ref?: components["schemas"]["ScopeRef"];
            /** @description The floor at whose commit the branch inherited it, if it still exists; only for what a branch inherits. */
            inherited_from_floor_id?: string;
            /**
             * @description Set for the story's state, which is computed and cannot be written.
             * @default false
             */
            computed?: boolean;
            /** @description Whether the story's state is up to date with the texts; only on computed values. */
            fresh?: boolean;
            /**
             * Format: int64
             * @description When it was last written.
             */
            updated_at: number;
        };
        /** @description The names that a session, character or global snapshot comes back under, if not its own. */
        RestoreTrash: {
            /** @description Another id. A `chat_file` that was the session's id becomes the same. */
            id?: string;
            /** @description Another `chat_file`, for a session. */
            chat_file?: string;
        };
        /** @description What was restored. */
        Restored: {
            /** @description The session, character or global snapshot that it is. */
            id: string | null;
            /** @description The session that it is in, or that it is. */
            session_id: string | null;
            /** @description The branch that it is on; of several one that was made for it, if there is one. */
            branch_id: string | null;
            /** @description Whether that branch was made for it, because its place is gone or taken. */
            new_branch: boolean;
            /** @description All branches that it is on. */
            branches: components["schemas"]["RestoredBranch"][];
            /** @description Floors and pages that came back under other ids, because others have theirs by now; the first hundred. */
            renamed: components["schemas"]["Renamed"][];
            /** @description How many of them there are. */
            renamed_count: number;
            /**
             * Format: int64
             * @description How many floors.
             */
            floor_count: number;
            /**
             * Format: int64
             * @description How many pages.
             */
            page_count: number;
        };
        /** @description A branch that something was restored to. */
        RestoredBranch: {
            /** @description The branch. */
            branch_id: string;
            /** @description Whether it was made for what has lost its place. */
            new_branch: boolean;
            /** @description What is stale on it, with the job that goes on processing it. */
            stale?: components["schemas"]["StaleFloors"];
        };
        RestoredData: {
            data: components["schemas"]["Restored"];
        };
        /**
         * @description When a person is asked before a result is seen.
         * @enum {string}
         */
        ResultApprovalPolicy: "never" | "on-error" | "always";
        /**
         * @description Whether an application did what a call asks for.
         * @enum {string}
         */
        ResultStatus: "success" | "error";
        /** @description The response to a revocation. */
        RevokedGrant: {
            /** @description Its id. */
            id: string;
            /** @description That it is gone. */
            deleted: boolean;
        };
        RevokedGrantData: {
            data: components["schemas"]["RevokedGrant"];
        };
        /**
         * @description What the bearer of a key may do. Each role may do everything the ones before it may.
         * @enum {string}
         */
        Role: "read" | "write" | "admin";
        /**
         * @description Who runs a tool.
         * @enum {string}
         */
        RunsOn: "server" | "client";
        /** @description What happened while a prompt was rendered. */
        RuntimeTrace: {
            /** @description What the macros did. */
            macro: components["schemas"]["MacroTrace"];
        };
        /**
         * @description Where a variable lives. When a key is resolved, `page` wins over `floor`, `branch`, `chat` and `global`.
         * @enum {string}
         */
        Scope: "global" | "chat" | "branch" | "floor" | "page";
        /**
         * @description A branch, by session and name.
         * @example {
         *       "session_id": "session-a",
         *       "branch_id": "alt-1"
         *     }
         */
        ScopeRef: {
            /** @description The session. */
            session_id: string;
            /** @description The branch, unescaped. */
            branch_id: string;
        };
        /** @description A variable of the scratchpad. */
        ScratchVariable: {
            /** @description Its name. */
            name: string;
            /** @description Its value; not in lists. */
            value?: string;
            /**
             * Format: int64
             * @description Characters of the value.
             */
            length: number;
            /** @description What it is for. */
            desc: string | null;
            /** @description Who made it. */
            type: components["schemas"]["VarType"];
            /** @description Words to find it by. */
            tags: string[];
            /** @description Whether eviction passes it by. */
            keep: boolean;
            /** @description Whether references inside its value are expanded: never in results, arguments, messages and copies of them. */
            trusted: boolean;
            /**
             * Format: int64
             * @description How often it was read or referred to.
             */
            reference_count: number;
            /**
             * Format: int64
             * @description When it was made; 0 for a rule of the server before the session first used its tools.
             */
            created_at: number;
            /**
             * Format: int64
             * @description When it was last written.
             */
            updated_at: number;
            /**
             * Format: int64
             * @description When it was last written, read or referred to.
             */
            last_visited_at: number;
        };
        ScratchVariableData: {
            data: components["schemas"]["ScratchVariable"];
        };
        ScratchVariableList: {
            data: components["schemas"]["ScratchVariable"][];
            meta: components["schemas"]["ListMeta"];
        };
        /**
         * @description A write to the scratchpad; what is left out stays. A new variable needs a value.
         * @example {
         *       "value": "The lighthouse keeper is called Ida.",
         *       "tags": [
         *         "facts"
         *       ]
         *     }
         */
        ScratchWrite: {
            /** @description The value: text, or any JSON, which is kept as its text. */
            value?: components["schemas"]["JsonValue"];
            /** @description What it is for. */
            desc?: string;
            /** @description All tags. */
            tags?: string[];
            /** @description Whether eviction passes it by. */
            keep?: boolean;
        };
        /** @description One conversation. */
        Session: {
            /**
             * @description Its id.
             * @example sess_001
             */
            id: string;
            /**
             * @description Its name.
             * @example A quiet evening
             */
            title: string | null;
            /** @description Free data of the client. */
            metadata: components["schemas"]["JsonObject"];
            /**
             * @description The name of the chat in a front end; unique in the account.
             * @example Yuki - 2024-10-20
             */
            chat_file: string;
            profile: components["schemas"]["ProfileChoice"] | null;
            /** @description Its character; null if it has none, or if the character was deleted. */
            character_id: string | null;
            /**
             * @description The name of the story's state among its variables.
             * @example vs_stat_data
             */
            state_variable: string;
            /**
             * Format: int64
             * @description How many floors its branch `main` has; only in the list of sessions.
             * @example 128
             */
            floor_count?: number;
            /**
             * Format: int64
             * @description When it was created.
             * @example 1735689600000
             */
            created_at: number;
            /**
             * Format: int64
             * @description When it, its branches, floors or pages last changed. Variables do not count.
             * @example 1735689600000
             */
            updated_at: number;
        };
        SessionData: {
            data: components["schemas"]["Session"];
        };
        SessionList: {
            data: components["schemas"]["Session"][];
            meta: components["schemas"]["ListMeta"];
        };
        /**
         * @description Changes to a session. An absent field stays as it is, `null` clears it.
         * @example {
         *       "title": "A loud evening"
         *     }
         */
        SessionPatch: {
            /** @description A new title; at most 1024 bytes. */
            title?: string | null;
            /** @description New metadata, replacing the old as a whole. */
            metadata?: components["schemas"]["JsonObject"];
            /** @description Another name of the chat; at most 1024 bytes. */
            chat_file?: string;
            /** @description Another character, or none. */
            character_id?: string | null;
            profile?: components["schemas"]["ProfileChoice"] | null;
            /** @description Another template, an object; null for the character's. States that come from the old one are outdated. */
            template?: components["schemas"]["JsonObject"];
            /** @description Another name of the story's state among its variables. */
            state_variable?: string | null;
        };
        /** @description The template of a session. */
        SessionTemplate: {
            /** @description The session. */
            session_id: string;
            /** @description The state that its story starts from; null for an empty one. */
            template: components["schemas"]["JsonObject"];
            /** @description Whether it is the session's own; otherwise it is its character's, if it has one. */
            own: boolean;
        };
        SessionTemplateData: {
            data: components["schemas"]["SessionTemplate"];
        };
        /** @description One side of a comparison. */
        Side: {
            /** @description The snapshot; null where the story has not begun and the state is the template. */
            snapshot_id: string | null;
            /** @description The page whose state it is, if it still exists. */
            page_id: string | null;
            /** @description The floor of that page. */
            floor_id: string | null;
            /** @description Whether it is up to date with the texts before it; absent if the page was deleted. */
            fresh?: boolean;
            /** @description Why it is not fresh. */
            stale_reason?: components["schemas"]["StaleReason"];
            /**
             * @description Set if it was edited by hand.
             * @default false
             */
            edited?: boolean;
            /**
             * @description Set if it is the state before the place, because the place has none of its own.
             * @default false
             */
            inherited?: boolean;
        };
        /**
         * @description A browser to sign in.
         * @example {
         *       "key": "tk_…",
         *       "days": 30
         *     }
         */
        SignIn: {
            /** @description The secret of a key. */
            key: string;
            /**
             * Format: int64
             * @description For how many days; 30 if absent. A key that expires earlier ends it earlier.
             */
            days?: number | null;
        };
        /** @description A snapshot. */
        Snapshot: {
            /** @description Its id, a UUID. */
            id: string;
            /** @description The session. */
            session_id: string;
            /** @description The page, if it still exists. */
            page_id: string | null;
            /** @description The document. */
            state: components["schemas"]["JsonValue"];
            /**
             * @description Whether it is up to date with the texts before it; absent if the page was deleted, or shows another state since no commands are
             *     read from it.
             */
            fresh?: boolean;
            /** @description Whether it was edited by hand. */
            edited: boolean;
            /**
             * Format: int64
             * @description When it was created.
             */
            created_at: number;
            /**
             * Format: int64
             * @description When it got this state.
             */
            updated_at: number;
            /**
             * @description What came of processing what follows on the page's branch, in the answer to an edit; left out where nothing was to be
             *     processed. Edits by hand further on are applied again: `kept_edited`.
             */
            processed?: components["schemas"]["ProcessReport"];
            /** @description The job that continues processing, if that takes longer than a second. */
            job_id?: string;
            /** @description What the change leaves stale on the branch; only in responses to changes. */
            stale?: components["schemas"]["StaleFloors"];
        };
        SnapshotData: {
            data: components["schemas"]["Snapshot"];
        };
        /** @description What leads from one snapshot to another. */
        SnapshotDiff: {
            /** @description The snapshot to begin with. */
            from: string;
            /** @description The one it leads to. */
            to: string;
            /** @description The way, as JSON Patch (RFC 6902). */
            change: components["schemas"]["ChangeOperation"][];
        };
        SnapshotDiffData: {
            data: components["schemas"]["SnapshotDiff"];
        };
        /** @description One snapshot of a session, without its document. */
        SnapshotEntry: {
            /** @description Its id, a UUID. */
            id: string;
            /** @description The page; null if it was deleted, and then the fields of its position are null too. */
            page_id: string | null;
            /**
             * Format: int64
             * @description The page's slot on its floor.
             */
            page_no: number | null;
            /**
             * Format: int64
             * @description The swipe within the slot.
             */
            page_version: number | null;
            /** @description Whether that swipe is the chosen one. */
            is_active: boolean | null;
            /** @description Who speaks on the page: `user`, `assistant` or another role. */
            role: string | null;
            /** @description The floor. */
            floor_id: string | null;
            /**
             * Format: int64
             * @description Its position.
             */
            floor_no: number | null;
            /** @description The branch. */
            branch_id: string | null;
            /** @description Whether it was edited by hand. */
            edited: boolean;
            /**
             * Format: int64
             * @description When it was created.
             */
            created_at: number;
            /**
             * Format: int64
             * @description When its state last changed.
             */
            updated_at: number;
        };
        SnapshotEntryList: {
            data: components["schemas"]["SnapshotEntry"][];
            meta: components["schemas"]["ListMeta"];
        };
        /**
         * @description A direction.
         * @enum {string}
         */
        SortOrder: "asc" | "desc";
        /**
         * @description Who proposes a write.
         * @enum {string}
         */
        SourceKind: "unknown" | "macro" | "tool" | "agent" | "memory_runtime";
        /** @description Where something stands in a reply: its first byte and the one behind its last, counted in UTF-8. */
        Span: number[];
        /**
         * @description What a staged write wants to do.
         * @enum {string}
         */
        StagedOp: "set" | "delete";
        /** @description A proposal for a page's variable, and its outcome. */
        StagedWrite: {
            /** @description Public id. */
            id: string;
            /** @description The key. */
            key: string;
            /** @description `set` or `delete`. */
            op: string;
            /** @description The value; `null` for a deletion. */
            value: components["schemas"]["JsonValue"];
            /** @description How far it goes. */
            intent: string;
            /** @description What happens where the target has the key. */
            conflict_policy: string;
            /** @description Who proposed it. */
            source_kind: string;
            /** @description Why. */
            reason?: string | null;
            /** @description Where it came from. */
            source: components["schemas"]["JsonValue"];
            /** @description Evidence for it. */
            evidence: components["schemas"]["JsonValue"];
            /** @description `staged`, `accepted_page_only`, `promoted`, `rejected` or `discarded`. */
            status: string;
            /** @description The class of the decision; `null` while there is none. */
            decision_code?: string | null;
            /** @description Why it was not promoted further. */
            decision_reason?: string | null;
            /**
             * Format: int64
             * @description When it was staged.
             */
            created_at: number;
            /**
             * Format: int64
             * @description When it was decided.
             */
            resolved_at?: number | null;
        };
        StagedWriteData: {
            data: components["schemas"]["StagedWrite"];
        };
        /** @description The staged writes of a page. */
        StagedWrites: {
            /** @description The page. */
            page_id: string;
            /** @description Its floor. */
            floor_id: string;
            /** @description Its session. */
            session_id: string;
            /** @description Its branch. */
            branch_id: string;
            /** @description In the order they came. */
            items: components["schemas"]["StagedWrite"][];
        };
        StagedWritesData: {
            data: components["schemas"]["StagedWrites"];
        };
        /** @description The floors of a branch whose states are not up to date with the texts. */
        StaleFloors: {
            /**
             * Format: int64
             * @description How many there are.
             */
            floors: number;
            /**
             * Format: int64
             * @description The position of the first one; `POST /sessions/{id}/process` mends them.
             */
            first_floor_no: number;
            /** @description The job that is processing them. */
            job_id?: string;
        };
        /**
         * @description Why a state is not fresh.
         * @enum {string}
         */
        StaleReason: "unprocessed" | "text_changed" | "parent_changed" | "earlier_stale" | "edits_changed";
        /** @description A state and what is known of it. */
        State: {
            /** @description The snapshot; null where the story has not begun and the state is the template, and of a page without a state of its own. */
            snapshot_id: string | null;
            /** @description The page whose state it is; a page without a state of its own shows the state before it under its own id. */
            page_id: string | null;
            /** @description The floor of that page. */
            floor_id: string | null;
            /** @description The document. */
            state: components["schemas"]["JsonValue"];
            /** @description Whether it is up to date with the texts before it. */
            fresh: boolean;
            /** @description Why it is not fresh. */
            stale_reason?: components["schemas"]["StaleReason"];
            /**
             * @description Set if it was computed with another profile or template, or by an older engine.
             * @default false
             */
            outdated?: boolean;
            /**
             * @description Set if it was edited by hand.
             * @default false
             */
            edited?: boolean;
            /**
             * @description Set if it is the state before the page, because the page has none of its own.
             * @default false
             */
            inherited?: boolean;
        };
        StateData: {
            data: components["schemas"]["State"];
        };
        /** @description The first difference on one floor. Both sides start from the same state there. */
        StateDifference: {
            /** @description The floor. */
            floor_id: string;
            /**
             * Format: int64
             * @description Its position.
             */
            floor_no: number;
            /** @description The page. */
            page_id: string;
            /**
             * @description Where the states differ, as a JSON Pointer.
             * @example /hana/affinity
             */
            path: string;
            /** @description Our value as JSON, shortened; null where we have none. */
            ours: string | null;
            /** @description The stored value as JSON, shortened; null where there is none. */
            theirs: string | null;
            /** @description A word for the cause. */
            cause: components["schemas"]["DifferenceCause"];
            /** @description The cause for people. */
            message: string;
        };
        /**
         * @description What to change in a state by hand: a `patch`, or a `path` and its new `value`.
         * @example {
         *       "patch": [
         *         {
         *           "op": "replace",
         *           "path": "/yuki/affinity",
         *           "value": 50
         *         }
         *       ],
         *       "reason": "a slip"
         *     }
         */
        StateEdit: {
            /** @description A JSON Patch (RFC 6902), all operations or none; or an object as merge patch (RFC 7396), whose nulls remove members. */
            patch?: components["schemas"]["StatePatch"];
            /** @description The one value to set, as `yuki.affinity` or as JSON Pointer. */
            path?: string;
            value?: components["schemas"]["JsonValue"] | null;
            /** @description Why; kept with the edit. At most 4096 bytes. */
            reason?: string;
            /**
             * @description Whether what follows on the page's branch is processed at once. Otherwise it stays stale until it is processed.
             * @default true
             */
            process?: boolean;
        };
        /** @description The operations of RFC 6902 in their order, or the object of a merge patch (RFC 7396). */
        StatePatch: components["schemas"]["PatchOperation"][] | JsonObject;
        /** @description One thing or a list of them. */
        StringOneOrMany: string | string[];
        /** @description One message of a chat. */
        SyncFloor: {
            /**
             * @description The role of the speaker; at most 1024 bytes. What `user`, `system` and `tool` say becomes an `input` page, everything else an
             *     `output` page.
             */
            role: string;
            /** @description The speaker's name, at most 1024 bytes; left out or null it stays what it is. */
            name?: string | null;
            /**
             * Format: int64
             * @description Which swipe counts, from 0.
             * @default 0
             */
            active?: number;
            /** @description All texts of the message. */
            swipes: components["schemas"]["SyncSwipe"][];
        };
        /** @description The result of a sync. */
        SyncReport: {
            /**
             * @description Hashes of texts that the server lacks, as they were sent. While there are any, nothing is changed: send the same
             *     chat again with those `texts`.
             */
            missing: string[];
            /** @description Whether the branch is the chat now. */
            applied: boolean;
            /** @description Unchanged floors. */
            unchanged: number;
            /** @description Floors that are new, or would be. */
            created: number;
            /** @description Floors whose texts, speakers or active swipe changed. */
            changed: number;
            /** @description Floors at another position. */
            moved: number;
            /** @description Deleted floors. */
            deleted: number;
            /**
             * @description Floors that lose a text because the chat has another one in its place. Where there are several such texts, or something is deleted,
             *     the old texts go to the trash.
             */
            replaced: number;
            /** @description Swipes that are deleted on floors that stay, and whose texts are nowhere else in the chat. They go to the trash. */
            swipes_deleted: number;
            /** @description The item of the trash with what was deleted or replaced, as in the header `Trash-Id`; null if nothing was. */
            trash_id: string | null;
            /** @description The first hundred floors that are new, changed or moved. */
            floors: components["schemas"]["SyncedFloor"][];
            /** @description How many of them there are. */
            floors_count: number;
            /** @description Whether there are more than are listed. */
            floors_more: boolean;
            /** @description Where the first hundred messages of the chat are, unchanged ones included; empty while the branch is another chat. */
            map: components["schemas"]["MappedFloor"][];
            /**
             * Format: int64
             * @description Where the map goes on: the `from` of `GET /sessions/{id}/transcript?content=false`; null if it is whole.
             */
            map_next_from: number | null;
            /** @description The version of the branch; send it as `expected_version` with the next sync. */
            version: string;
            /** @description The page that the chat ends with now; null if it has none. */
            last_page_id: string | null;
            processed: components["schemas"]["ProcessReport"] | null;
            /** @description The job that continues processing, if that takes longer than a second. */
            job_id: string | null;
            /** @description Whether this was a dry run. */
            dry_run: boolean;
        };
        SyncReportData: {
            data: components["schemas"]["SyncReport"];
        };
        /**
         * @description The chat that the branch becomes. Send hashes only first; texts that the server lacks are returned as `missing`.
         * @example {
         *       "floors": [
         *         {
         *           "role": "assistant",
         *           "name": "Yuki",
         *           "swipes": [
         *             {
         *               "content": "Good evening."
         *             }
         *           ]
         *         },
         *         {
         *           "role": "user",
         *           "swipes": [
         *             {
         *               "hash": "185f8db32271fe25f561a6fc938b2e264306ec304eda518007d1764826381969"
         *             }
         *           ]
         *         }
         *       ]
         *     }
         */
        SyncRequest: {
            /** @description The branch; default `main`. It must exist; of a fork the chat begins at the very beginning. */
            branch_id?: string;
            /** @description All messages, in order; 50,000 swipes at most altogether. */
            floors: components["schemas"]["SyncFloor"][];
            /**
             * @description Texts that are named by their hashes in `floors`; 8 MiB at most together with those that stand there. What pages get
             *     may be 64 MiB, each text counted as often as it is used (`413 sync_too_large`).
             */
            texts?: string[];
            /**
             * @description The `version` of an earlier response: if the branch has changed since and the chat is another one, nothing is done
             *     (`409 chat_moved`). Send it with the `texts` that were missing, so that nothing is deleted that came meanwhile.
             */
            expected_version?: string;
            /** @description The page that the branch must end with, null for none: the same for a client that has no `version` yet. */
            expected_last?: string | null;
            /**
             * Format: int64
             * @description How many messages at the beginning of the chat are those of `expected_version`: `floors` has only what follows them. With
             *     `expected_version` alone, and refused (`409 chat_moved`) if the branch has changed since: then send the whole chat.
             */
            kept?: number;
            /**
             * Format: int64
             * @description How many floors may be deleted or lose texts that the chat replaces, and how many swipes of other floors may be deleted,
             *     together. More than five, and more than a fifth of the branch's floors, are lost only with this or with `expected_version`.
             */
            max_deleted?: number;
            /**
             * @description Only report what would happen; change nothing.
             * @default false
             */
            dry_run?: boolean;
            /**
             * @description Confirms a chat without floors: all floors of the branch are deleted.
             * @default false
             */
            confirm_all?: boolean;
        };
        /** @description One text of a message: by its hash, or itself. */
        SyncSwipe: {
            /** @description The SHA-256 of the text in UTF-8, in hexadecimal. It may be left out where the text stands. */
            hash?: string;
            /** @description The text. */
            content?: string;
        };
        /** @description A floor that is new or changed. */
        SyncedFloor: {
            /** @description Which message of the chat it is, from 0. */
            index: number;
            /** @description The floor. */
            floor_id: string;
            /**
             * Format: int64
             * @description Its position.
             */
            floor_no: number;
            /** @description Its pages in the order of the swipes. */
            page_ids: string[];
        };
        /** @description A character's template. */
        Template: {
            /** @description The character. */
            character_id: string;
            /** @description The state that its stories start from; null for an empty one. */
            template: components["schemas"]["JsonObject"];
            /**
             * Format: int64
             * @description When the character last changed.
             */
            updated_at: number;
        };
        TemplateData: {
            data: components["schemas"]["Template"];
        };
        /** @description What functions that are tried out find in `context`. */
        TestContext: {
            /**
             * Format: int64
             * @description The time of the turn in ms since 1970; default now.
             */
            now_ms?: number;
            /**
             * Format: int64
             * @description The number of the turn in its story; default 1.
             */
            round?: number;
            /**
             * Format: int64
             * @description What chance begins with; default 0. The same seed gives the same dice.
             */
            seed?: number;
            /** @description The replies before, the newest last. */
            recent_texts?: string[];
            /** @description The session. */
            session?: string | null;
            /** @description The branch. */
            branch?: string | null;
            /**
             * Format: int64
             * @description The number of the floor.
             */
            floor?: number | null;
            /** @description The page. */
            page?: string | null;
            /** @description Who wrote the text. */
            role?: string | null;
        };
        /**
         * @description Functions, a text and a state to try them on.
         * @example {
         *       "functions": [
         *         {
         *           "name": "HEAL",
         *           "type": "active",
         *           "executor": "snapshot.hp += args[0];\nreturn snapshot;"
         *         }
         *       ],
         *       "text": "@.HEAL(5);",
         *       "state": {
         *         "hp": 90
         *       }
         *     }
         */
        TestFunctions: {
            /** @description The functions. Those with `"enabled": false` do not run. */
            functions: components["schemas"]["FunctionEntry"][];
            /** @description The reply. */
            text: string;
            /** @description The state before: an object. */
            state: components["schemas"]["JsonObject"];
            /** @description What the functions find in `context`. */
            context?: components["schemas"]["TestContext"];
        };
        /** @description One call. */
        TestedCall: {
            /** @description The name of the function. */
            function: string;
            /** @description Its arguments. */
            args: components["schemas"]["JsonValue"][];
            /** @description What came of it. */
            status: components["schemas"]["CommandStatus"];
            /** @description Why it did nothing, for programs. */
            code?: string;
            /** @description What was wrong or repaired. */
            message?: string;
            /** @description What it wrote with `console.log`; left out where that is nothing. */
            log?: string[];
            /**
             * Format: double
             * @description How long it took, in ms; 0 for what the engine does itself.
             */
            duration_ms: number;
        };
        /** @description What came of functions that were tried out. */
        TestedFunctions: {
            /** @description The state after. */
            state: components["schemas"]["JsonValue"];
            /** @description Everything that was called, in the order in which it ran; commands of the built-in functions too. */
            calls: components["schemas"]["TestedCall"][];
            /** @description What is worth a look. */
            problems: components["schemas"]["ReplyProblem"][];
        };
        TestedFunctionsData: {
            data: components["schemas"]["TestedFunctions"];
        };
        /** @description A text. */
        Text: {
            /** @description The text itself. */
            data: string;
        };
        /** @description The length of a text. */
        TextSize: {
            /**
             * Format: int64
             * @description Unicode characters.
             */
            characters: number;
            /**
             * Format: int64
             * @description Tokens, estimated: one for four ASCII characters, one for every other character.
             */
            tokens_estimated: number;
        };
        /**
         * @description When a passive function runs.
         * @enum {string}
         */
        Timing: "before_active" | "after_active";
        /**
         * @description What sessions begin with that have not used their tools yet.
         * @example {
         *       "groups": {
         *         "vars": true
         *       },
         *       "tools": {
         *         "RemoveVars": false
         *       },
         *       "permissions": {
         *         "WriteVar": {
         *           "executionPolicy": "ask-once"
         *         }
         *       }
         *     }
         */
        ToolDefaults: {
            /** @description Which groups are enabled. */
            groups?: components["schemas"]["JsonObject"];
            /** @description Which tools are. */
            tools?: components["schemas"]["JsonObject"];
            /** @description What counts for tools. */
            permissions?: components["schemas"]["JsonObject"];
        };
        ToolDefaultsData: {
            data: components["schemas"]["ToolDefaults"];
        };
        /** @description The definition of a tool, as model APIs take it. */
        ToolDefinition: {
            /** @description `function` */
            type: string;
            /** @description Name, description and parameters. */
            function: components["schemas"]["JsonValue"];
        };
        /** @description All things of a kind: a short list that is answered whole. */
        ToolDefinitionAll: {
            /** @description The things. */
            data: components["schemas"]["ToolDefinition"][];
        };
        /** @description A group of tools. */
        ToolGroup: {
            /** @description Its name. */
            name: string;
            /** @description Whether it is enabled. */
            enabled: boolean;
            /** @description Who runs its tools: `server` or `client`. */
            runs_on: components["schemas"]["RunsOn"];
            /** @description Its tools, in the order of registration. */
            tools: components["schemas"]["GroupTool"][];
            /** @description The variables of its rules. */
            rules: string[];
        };
        /** @description All things of a kind: a short list that is answered whole. */
        ToolGroupAll: {
            /** @description The things. */
            data: components["schemas"]["ToolGroup"][];
        };
        ToolGroupData: {
            data: components["schemas"]["ToolGroup"];
        };
        /**
         * @description A change to a group.
         * @example {
         *       "enabled": true
         *     }
         */
        ToolGroupPatch: {
            /** @description Whether it is enabled. */
            enabled: boolean;
        };
        /**
         * @description A change to a tool.
         * @example {
         *       "enabled": true,
         *       "permission": {
         *         "executionPolicy": "ask-always"
         *       }
         *     }
         */
        ToolPatch: {
            /** @description Whether it is enabled. */
            enabled?: boolean;
            /** @description What counts instead of the tool's own words, field by field. */
            permission?: components["schemas"]["ToolPermission"];
        };
        /** @description When a person is asked, as a group declares it. The spelling is that of the tools' own world. */
        ToolPermission: {
            /** @description Before the tool runs: `auto`, `ask-once` for the same tool and arguments, `ask-always`. */
            executionPolicy?: components["schemas"]["ExecutionPolicy"];
            /** @description Before the result is seen: `never`, `on-error`, `always`. */
            resultApprovalPolicy?: components["schemas"]["ResultApprovalPolicy"];
            /**
             * @description Calls that are refused without asking: each rule names an argument by a JSON pointer and a pattern for its text, in which
             *     `*` stands for anything. A rule without an argument refuses every call.
             */
            deny?: components["schemas"]["DenyRule"][];
            /**
             * Format: int64
             * @description How long a decision counts, in ms; default as long as its scope.
             */
            expiresMs?: number;
            /** @description The older word for `executionPolicy`: `public` is `auto`, `moderate` is `ask-once`, `sensitive` is `ask-always`. */
            permissionLevel?: components["schemas"]["PermissionLevel"];
            /** @description Older: `false` is `auto`. */
            requireExecutionApproval?: boolean;
            /** @description Older: `true` is `always`. */
            requireResultApproval?: boolean;
        };
        /** @description A part of a transcript. */
        Transcript: {
            /** @description The floors, by position. */
            data: components["schemas"]["TranscriptFloor"][];
            /** @description Which part they are. */
            meta: components["schemas"]["TranscriptMeta"];
        };
        /** @description A floor of a line with what was said there. */
        TranscriptFloor: {
            /** @description The floor. */
            floor_id: string;
            /**
             * Format: int64
             * @description Its position.
             */
            floor_no: number;
            /** @description Its state: `draft`, `generating`, `committed` or `failed`. */
            state: string;
            /**
             * @description Set if it stands on a branch that this one was forked from.
             * @default false
             */
            shared?: boolean;
            /** @description Its story page, or else its last active page; null if it has none. */
            page_id: string | null;
            /** @description The role of the speaker. */
            role: string | null;
            /** @description The speaker's name. */
            name: string | null;
            /** @description The page's text; left out with `content=false`. */
            content?: string | null;
            /**
             * Format: int64
             * @description Which swipe of its slot the page is, from 1; null where there is no page.
             */
            swipe: number | null;
            /**
             * Format: int64
             * @description How many swipes the slot has.
             */
            swipe_count: number;
            /** @description The page's snapshot; null where the page has no state of its own. */
            snapshot_id: string | null;
            /** @description Whether everything up to here is up to date with the texts. */
            fresh: boolean;
            /**
             * @description Set if the state was edited by hand.
             * @default false
             */
            edited?: boolean;
            /**
             * @description Set if the state was computed with another profile or template, or by an older engine.
             * @default false
             */
            outdated?: boolean;
            /** @description What it changed in the state, as JSON Patch; only with `changes`. */
            change?: components["schemas"]["ChangeOperation"][];
            /** @description All pages of the floor, by slot and swipe; only with `swipes`. */
            swipes?: components["schemas"]["TranscriptSwipe"][];
        };
        TranscriptFloorData: {
            data: components["schemas"]["TranscriptFloor"];
        };
        /** @description Which part of a transcript was returned. */
        TranscriptMeta: {
            /**
             * Format: int64
             * @description The first position that was looked at.
             */
            from: number;
            /**
             * Format: int64
             * @description The requested limit.
             */
            limit: number;
            /** @description Whether more floors follow. */
            has_more: boolean;
            /**
             * Format: int64
             * @description The `from` of the next request; null at the end.
             */
            next_from: number | null;
        };
        /** @description A page of a floor, chosen or not. */
        TranscriptSwipe: {
            /** @description The page. */
            page_id: string;
            /**
             * Format: int64
             * @description The slot on the floor.
             */
            page_no: number;
            /**
             * Format: int64
             * @description The swipe within the slot, from 0; numbers of deleted swipes are missing.
             */
            version: number;
            /** @description Whether it is the chosen swipe of its slot. */
            is_active: boolean;
            /** @description The role of the speaker. */
            role: string | null;
            /** @description The speaker's name. */
            name: string | null;
            /** @description Its text; left out with `content=false`. */
            content?: string | null;
            /** @description Its snapshot; null where it has no state of its own. */
            snapshot_id: string | null;
            /**
             * @description Set if the state was edited by hand.
             * @default false
             */
            edited?: boolean;
        };
        /** @description What one request deleted in one session, or a session, character or global snapshot that it deleted. */
        TrashItem: {
            /** @description Its id. */
            id: string;
            /**
             * @description What was deleted: `pages`, `floors`, `branch`, `sync` for what a sync removed, `session`, `character`, `global_snapshot`, or
             *     `snapshots` for states that were dropped.
             */
            kind: string;
            /** @description The session that it was deleted from, or that was deleted; null for a character or a global snapshot. */
            session_id: string | null;
            /** @description The id that a session, character or global snapshot had. */
            subject_id: string | null;
            /** @description Its title or name. */
            name: string | null;
            /** @description The `chat_file` of a session. */
            chat_file: string | null;
            /**
             * Format: int64
             * @description When.
             */
            deleted_at: number;
            /**
             * Format: int64
             * @description How many floors.
             */
            floor_count: number;
            /**
             * Format: int64
             * @description How many pages.
             */
            page_count: number;
            /** @description Some of the pages with their texts; only when one item is read. */
            pages?: components["schemas"]["TrashPage"][];
            /**
             * Format: int64
             * @description The `offset` of the pages after these; absent if there are none.
             */
            next_offset?: number;
            /** @description The character; only when one item is read. */
            character?: components["schemas"]["Character"];
            /** @description The global snapshot with its state; only when one item is read. */
            global_snapshot?: components["schemas"]["GlobalSnapshot"];
        };
        TrashItemData: {
            data: components["schemas"]["TrashItem"];
        };
        TrashItemList: {
            data: components["schemas"]["TrashItem"][];
            meta: components["schemas"]["ListMeta"];
        };
        /** @description A page in the trash. */
        TrashPage: {
            /** @description The page; null if only its state was left. */
            page_id: string | null;
            /** @description Its branch; only of a session. */
            branch_id: string | null;
            /** @description Its floor. */
            floor_id: string | null;
            /**
             * Format: int64
             * @description The floor's position.
             */
            floor_no: number | null;
            /**
             * Format: int64
             * @description The swipe within its slot.
             */
            version: number | null;
            /** @description Whether it was the chosen swipe. */
            is_active: boolean;
            /** @description The role of the speaker. */
            role: string | null;
            /** @description The speaker's name. */
            name: string | null;
            /** @description The text. */
            content: string | null;
            /** @description Whether this is the text that the page had before a sync gave it another one; it is restored as another swipe. */
            replaced: boolean;
            /** @description The snapshot of its state, which can be read with `GET /trash/{id}/snapshots/{snapshot_id}`. */
            snapshot_id: string | null;
        };
        /** @description A state in the trash. */
        TrashState: {
            /** @description The snapshot. */
            snapshot_id: string;
            /** @description The state. */
            state: components["schemas"]["JsonValue"];
        };
        TrashStateData: {
            data: components["schemas"]["TrashState"];
        };
        /**
         * @description How a result that is too long is cut.
         * @enum {string}
         */
        Truncation: "head_tail" | "head" | "lines";
        /** @description A turn that was taken. */
        Turn: {
            /** @description The floor, committed. */
            floor_id: string;
            /**
             * Format: int64
             * @description Its position.
             */
            floor_no: number;
            /** @description The page, active. */
            page_id: string;
            /**
             * Format: int64
             * @description The swipe within its slot.
             */
            page_version: number;
            /** @description The page's snapshot; null where no commands are read from the page. */
            snapshot_id: string | null;
            /** @description What changed, as JSON Patch. */
            change: components["schemas"]["ChangeOperation"][];
            /** @description The commands and their results. */
            commands: components["schemas"]["AppliedCommand"][];
            /** @description Problems. */
            problems: components["schemas"]["ReplyProblem"][];
            /** @description The functions that ran, in order; absent if none did. */
            functions?: components["schemas"]["RanFunction"][];
            /** @description What functions wrote with `console.log`; absent if they wrote nothing. */
            log?: components["schemas"]["LogLine"][];
            /** @description The state behind the turn; only with `include_state`. */
            state?: components["schemas"]["JsonValue"];
            /** @description What another swipe of an earlier floor leaves stale on the branch. */
            stale?: components["schemas"]["StaleFloors"];
        };
        TurnData: {
            data: components["schemas"]["Turn"];
        };
        /**
         * @description What happens when a value would change its kind.
         * @enum {string}
         */
        TypeChange: "reported" | "refused" | "as_mvu" | "by_schema";
        /**
         * @description What to take back.
         * @example {
         *       "path": "yuki.affinity"
         *     }
         */
        UndoRequest: {
            /** @description Only this value; default everything that the page changed. */
            path?: string;
        };
        /** @description What became of the messages of a chat that was there. */
        UpdatedChat: {
            /** @description Messages that are the same. */
            unchanged: number;
            /** @description Messages that are new. */
            created: number;
            /** @description Messages whose texts, speakers or active swipe changed. */
            changed: number;
            /** @description Messages that stand elsewhere. */
            moved: number;
            /** @description Floors that were deleted. */
            deleted: number;
            /** @description What can be restored of what was deleted or replaced. */
            trash_id: string | null;
        };
        /**
         * @description Who made a variable of the scratchpad.
         * @enum {string}
         */
        VarType: "RULE" | "ToolCallResult" | "ToolCallArgs" | "MessageCache" | "LLMAdd" | "USER_ADD";
        /**
         * @description A key and a value on a host.
         * @example {
         *       "id": "var_001",
         *       "scope": "branch",
         *       "scope_id": "branch:session-a:alt-1",
         *       "scope_ref": {
         *         "session_id": "session-a",
         *         "branch_id": "alt-1"
         *       },
         *       "key": "route",
         *       "value": "campfire",
         *       "updated_at": 1735689600000
         *     }
         */
        Variable: {
            /** @description Its id. */
            id: string;
            /** @description The kind of host. */
            scope: components["schemas"]["Scope"];
            /** @description The host: `global`, the id of a session, floor or page, or `branch:<session>:<branch>` with percent escapes. */
            scope_id: string;
            /** @description The branch; only on branch variables. */
            scope_ref?: components["schemas"]["ScopeRef"];
            /** @description Its key. */
            key: string;
            /** @description Its value. */
            value: components["schemas"]["JsonValue"];
            /**
             * Format: int64
             * @description When it was last written.
             */
            updated_at: number;
        };
        /**
         * @description Whether a write made the variable or changed it.
         * @enum {string}
         */
        VariableAction: "created" | "updated";
        /** @description Values to put on many targets, all or none. */
        VariableBatch: {
            /** @description The writes; each target once. */
            items: components["schemas"]["VariableWrite"][];
        } & {
            [key: string]: components["schemas"]["JsonValue"];
        };
        /** @description The response to a batch of writes. */
        VariableBatchDone: {
            /** @description One row per item, in their order. */
            results: components["schemas"]["VariableDone"][];
            /** @description Totals. */
            meta: components["schemas"]["VariableBatchMeta"];
        };
        VariableBatchDoneData: {
            data: components["schemas"]["VariableBatchDone"];
        };
        /**
         * @description Totals of a batch of writes.
         * @example {
         *       "total": 2,
         *       "created": 1,
         *       "updated": 1
         *     }
         */
        VariableBatchMeta: {
            /** @description All items. */
            total: number;
            /** @description How many are new. */
            created: number;
            /** @description How many existed. */
            updated: number;
        };
        VariableData: {
            data: components["schemas"]["Variable"];
        };
        /** @description A variable was deleted: `variable.deleted`. */
        VariableDeleted: {
            /** @description The session; not on global variables. */
            session_id?: string;
            /** @description The branch; not on variables of the account and the session. */
            branch_id?: string;
            /** @description Its id. */
            id: string;
            /** @description The kind of host. */
            scope: components["schemas"]["Scope"];
            /** @description The host. */
            scope_id: string;
            /** @description The branch; only on branch variables. */
            scope_ref?: components["schemas"]["ScopeRef"];
            /** @description Its key. */
            key: string;
        };
        /** @description Which variables to delete: by `ids` or by `items`, not both. */
        VariableDeletion: ({
            ids: string[];
        } & {
            [key: string]: components["schemas"]["JsonValue"];
        }) | ({
            items: components["schemas"]["VariableTarget"][];
        } & {
            [key: string]: components["schemas"]["JsonValue"];
        });
        /** @description What one item of a batch did. */
        VariableDone: {
            /** @description The item's place in the request. */
            index: number;
            /** @description Whether it made the variable or changed it. */
            action: components["schemas"]["VariableAction"];
            /** @description The variable as it is now. */
            data: components["schemas"]["Variable"];
        };
        /** @description A variable as it was written. */
        VariableEntry: {
            /** @description Its id. */
            id: string;
            /** @description The kind of host. */
            scope: components["schemas"]["Scope"];
            /** @description The host. */
            scope_id: string;
            /** @description The branch; only on branch variables. */
            scope_ref?: components["schemas"]["ScopeRef"];
            /** @description Its key. */
            key: string;
            /** @description The value that was written; absent if it is no longer stored: its host was deleted or its history was purged. */
            value?: components["schemas"]["JsonValue"];
            /**
             * Format: int64
             * @description When it was written.
             */
            updated_at: number;
        };
        /** @description What one item of a deletion did. */
        VariableGone: {
            /** @description The item's place in the request. */
            index: number;
            /** @description The variable that was deleted, null when there was none. */
            id: string | null;
            /** @description Whether it existed. */
            deleted: boolean;
        };
        VariableList: {
            data: components["schemas"]["Variable"][];
            meta: components["schemas"]["ListMeta"];
        };
        /**
         * @description How parts of a value change.
         * @example {
         *       "patch": [
         *         {
         *           "op": "replace",
         *           "path": "/level",
         *           "value": 4
         *         }
         *       ]
         *     }
         */
        VariablePatch: {
            /** @description The operations of RFC 6902, in their order. */
            patch: components["schemas"]["PatchOperation"][];
        } & {
            [key: string]: components["schemas"]["JsonValue"];
        };
        /** @description A value was promoted from a page to its floor, or from there to the branch or the session: `variable.promoted`. */
        VariablePromoted: {
            /** @description The session. */
            session_id?: string;
            /** @description The branch; not when the value went to the session. */
            branch_id?: string;
            /** @description The key. */
            key: string;
            /** @description Where the value was. */
            from_scope: components["schemas"]["Scope"];
            /** @description Where it is now. */
            to_scope: components["schemas"]["Scope"];
            /** @description The host that has it now. */
            to_scope_id: string;
            /** @description That host, if it is a branch. */
            to_scope_ref?: components["schemas"]["ScopeRef"];
            /** @description The value; absent if a deletion was promoted, or if the host was deleted. */
            value?: components["schemas"]["JsonValue"];
        };
        /** @description A variable was written: `variable.set`. */
        VariableSet: {
            /** @description The session; not on global variables. */
            session_id?: string;
            /** @description The branch; not on variables of the account and the session. */
            branch_id?: string;
            /** @description The variable. */
            entry: components["schemas"]["VariableEntry"];
            /** @description Whether it is new. */
            is_new: boolean;
        };
        /** @description The address of a variable. */
        VariableTarget: ({
            /** @enum {string} */
            scope: "global" | "chat" | "floor" | "page";
            /** @description The id of the session, floor or page; anything for `global`. */
            scope_id: string;
            /** @description The key: text of 1 to 512 bytes. */
            key: string;
        } & {
            [key: string]: components["schemas"]["JsonValue"];
        }) | ({
            /** @enum {string} */
            scope: "branch";
            /** @description The session. */
            session_id: string;
            /** @description The branch, unescaped. */
            branch_id: string;
            /** @description The key: text of 1 to 512 bytes. */
            key: string;
        } & {
            [key: string]: components["schemas"]["JsonValue"];
        }) | ({
            /** @enum {string} */
            scope: "branch";
            /** @description `branch:<session>:<branch>`, escaped. */
            scope_id: string;
            /** @description The key: text of 1 to 512 bytes. */
            key: string;
        } & {
            [key: string]: components["schemas"]["JsonValue"];
        });
        /**
         * @description A value to put on a target.
         * @example {
         *       "scope": "global",
         *       "scope_id": "global",
         *       "key": "theme",
         *       "value": "night"
         *     }
         */
        VariableWrite: components["schemas"]["VariableTarget"] & ({
            value: components["schemas"]["JsonValue"];
        } & {
            [key: string]: components["schemas"]["JsonValue"];
        });
        /** @description The response to a deletion of many variables. */
        VariablesDeleted: {
            /** @description One row per item, in their order. */
            results: components["schemas"]["VariableGone"][];
            /** @description Totals. */
            meta: components["schemas"]["DeletedMeta"];
        };
        VariablesDeletedData: {
            data: components["schemas"]["VariablesDeleted"];
        };
        /**
         * @description What became of a write.
         * @enum {string}
         */
        WriteState: "running" | "done";
    };
    responses: {
        /** @description 404 `account_not_found`: The account does not exist. */
        AccountNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 404 `approval_not_found`: The approval does not exist, or the journal does not keep its call any more. */
        ApprovalNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 409 `approval_settled`, `invalid_state`. */
        ApprovalSettledOrInvalidState: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 403 `auth_invalid_credentials`, `host_not_allowed`, `origin_not_allowed`. */
        AuthInvalidCredentialsOrHostNotAllowedOrOriginNotAllowed: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 409 `branch_local_snapshot_missing`: The floor that the branch was forked from was never committed, so there are no branch values to inherit. */
        BranchLocalSnapshotMissing: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 404 `branch_not_found`, `floor_not_found`. */
        BranchNotFoundOrFloorNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 404 `branch_not_found`, `floor_not_found`, `page_not_found`. */
        BranchNotFoundOrFloorNotFoundOrPageNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 404 `branch_not_found`, `page_not_found`. */
        BranchNotFoundOrPageNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 404 `branch_not_found`, `page_not_found`, `edit_not_found`. */
        BranchNotFoundOrPageNotFoundOrEditNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 404 `branch_not_found`, `page_not_found`, `not_found`. */
        BranchNotFoundOrPageNotFoundOrNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 404 `branch_not_found`, `page_not_found`, `snapshot_not_found`. */
        BranchNotFoundOrPageNotFoundOrSnapshotNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 404 `browser_not_found`: No such browser is signed in. */
        BrowserNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 404 `call_not_found`: The call does not exist, or the journal does not keep it any more. */
        CallNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 404 `character_not_found`: The character does not exist. */
        CharacterNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 404 `character_not_found`, `function_not_found`. */
        CharacterNotFoundOrFunctionNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 409 `confirmation_mismatch`: `confirm` is not the id of the account that would be deleted. */
        ConfirmationMismatch: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 410 `events_purged`: Events after this `Last-Event-ID` have been purged; connect without it and read the state again. */
        EventsPurged: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 404 `floor_not_found`: The floor does not exist, or not where the request says. */
        FloorNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 404 `floor_not_found`, `page_not_found`. */
        FloorNotFoundOrPageNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 409 `fork_too_deep`, `branch_exists`, `invalid_state`. */
        ForkTooDeepOrBranchExistsOrInvalidState: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 409 `fork_too_deep`, `id_taken`, `position_taken`. */
        ForkTooDeepOrIdTakenOrPositionTaken: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 409 `function_built_in`: The function comes with the program: it can be switched on and off and copied; change a copy of it. */
        FunctionBuiltIn: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 404 `function_not_found`: The function does not exist, or not in the scope that the request names. */
        FunctionNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 404 `global_snapshot_not_found`: The global snapshot does not exist. */
        GlobalSnapshotNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 409 `id_taken`: This id or `chat_file` exists already; choose another or leave it out. */
        IdTaken: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 409 `id_taken`, `position_taken`. */
        IdTakenOrPositionTaken: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 422 `import_unreadable`, `idempotency_key_reused`. */
        ImportUnreadableOrIdempotencyKeyReused: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 400 `validation_error`, `malformed_request`, `malformed_json`. */
        InvalidBody: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 400 `validation_error`, `malformed_request`. */
        InvalidRequest: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 409 `invalid_state`: The state of the floor, the page, the job, the call or the server does not allow this now. */
        InvalidState: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 404 `job_not_found`: The job does not exist. */
        JobNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 404 `key_not_found`: The key does not exist. */
        KeyNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 502 `model_unavailable`: The configured model could not be asked or gave no text; the summary stays due. Retry, or send the text yourself. */
        ModelUnavailable: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 404 `not_found`: The page of the staged writes or promotions does not exist. */
        NotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 404 `page_not_found`: The page does not exist, or not where the request says. */
        PageNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 404 `page_not_found`, `global_snapshot_not_found`. */
        PageNotFoundOrGlobalSnapshotNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 404 `page_not_found`, `snapshot_not_found`. */
        PageNotFoundOrSnapshotNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 409 `parent_moved`: The state that the turn or edit builds on has changed; read the state of the branch and retry. */
        ParentMoved: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 409 `parent_moved`, `branch_busy`. */
        ParentMovedOrBranchBusy: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 409 `parent_moved`, `branch_busy`, `invalid_state`. */
        ParentMovedOrBranchBusyOrInvalidState: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 409 `parent_moved`, `invalid_state`. */
        ParentMovedOrInvalidState: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 422 `patch_failed`, `idempotency_key_reused`. */
        PatchFailedOrIdempotencyKeyReused: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 413 `payload_too_large`, `sync_too_large`. */
        PayloadTooLargeOrSyncTooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 413 `payload_too_large`, `sync_too_large`, `import_too_large`. */
        PayloadTooLargeOrSyncTooLargeOrImportTooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 409 `position_taken`: The position on the branch or the version in the slot is taken; leave it out to get the next free one. */
        PositionTaken: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 412 `precondition_failed`: What is there does not match `If-Match` or `If-None-Match`; read it again and retry. */
        PreconditionFailed: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 409 `protected_branch`: The branch `main` cannot be deleted; delete the session instead. */
        ProtectedBranch: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /**
         * @description 400 `malformed_request`.
         *
         *     403 `host_not_allowed`, `origin_not_allowed`.
         *
         *     431 `head_too_large`.
         *
         *     500 `internal_error`.
         *
         *     503 `store_unavailable`, `request_timeout`, `overloaded`, `store_damaged`.
         */
        PublicError: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /**
         * @description 400 `malformed_request`.
         *
         *     403 `host_not_allowed`, `origin_not_allowed`.
         *
         *     413 `payload_too_large`.
         *
         *     415 `unsupported_media_type`.
         *
         *     431 `head_too_large`.
         *
         *     500 `internal_error`.
         *
         *     503 `store_unavailable`, `request_timeout`, `overloaded`, `store_damaged`.
         */
        PublicErrorWithBody: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 429 `quota_exceeded`: The account has reached a quota; delete something, or ask for a higher quota. */
        QuotaExceeded: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /**
         * @description 400 `malformed_request`.
         *
         *     401 `auth_required`.
         *
         *     403 `auth_invalid_credentials`, `auth_account_disabled`, `auth_role_insufficient`, `host_not_allowed`, `origin_not_allowed`.
         *
         *     431 `head_too_large`.
         *
         *     500 `internal_error`.
         *
         *     503 `store_unavailable`, `request_timeout`, `overloaded`, `store_damaged`.
         */
        ReadError: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /**
         * @description 400 `malformed_request`.
         *
         *     401 `auth_required`.
         *
         *     403 `auth_invalid_credentials`, `auth_account_disabled`, `auth_role_insufficient`, `host_not_allowed`, `origin_not_allowed`.
         *
         *     413 `payload_too_large`.
         *
         *     415 `unsupported_media_type`.
         *
         *     431 `head_too_large`.
         *
         *     500 `internal_error`.
         *
         *     503 `store_unavailable`, `request_timeout`, `overloaded`, `store_damaged`.
         */
        ReadErrorWithBody: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 409 `rule_protected`: The variable is a skill rule, which can be neither written nor removed; choose another name. */
        RuleProtected: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 409 `rule_protected`, `invalid_state`. */
        RuleProtectedOrInvalidState: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 404 `session_not_found`: The session does not exist. */
        SessionNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 404 `session_not_found`, `branch_not_found`. */
        SessionNotFoundOrBranchNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 404 `session_not_found`, `branch_not_found`, `floor_not_found`. */
        SessionNotFoundOrBranchNotFoundOrFloorNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 404 `session_not_found`, `character_not_found`. */
        SessionNotFoundOrCharacterNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 404 `session_not_found`, `floor_not_found`. */
        SessionNotFoundOrFloorNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 404 `session_not_found`, `grant_not_found`. */
        SessionNotFoundOrGrantNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 404 `session_not_found`, `page_not_found`. */
        SessionNotFoundOrPageNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 404 `session_not_found`, `scratchpad_variable_not_found`. */
        SessionNotFoundOrScratchpadVariableNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 404 `session_not_found`, `tool_group_not_found`. */
        SessionNotFoundOrToolGroupNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 404 `session_not_found`, `tool_not_found`. */
        SessionNotFoundOrToolNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 404 `snapshot_not_found`: The snapshot does not exist. */
        SnapshotNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 404 `snapshot_not_found`, `trash_not_found`. */
        SnapshotNotFoundOrTrashNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 404 `trash_not_found`: Nothing in the trash has this id; it may have been restored or purged. */
        TrashNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 400 `validation_error`, `malformed_request`, `invalid_variable_context`. */
        ValidationErrorOrMalformedRequestOrInvalidVariableContext: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 404 `variable_host_not_found`: The session, branch, floor or page of the variable does not exist. */
        VariableHostNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 404 `variable_host_not_found`, `variable_not_found`. */
        VariableHostNotFoundOrVariableNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 404 `variable_not_found`: The variable does not exist. */
        VariableNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 409 `variable_target_locked`: The floor is generating or committed, so its variables and those of its pages are read-only. To change them, stage the writes on another swipe and commit the floor with its `page_id`. */
        VariableTargetLocked: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 409 `variable_target_locked`, `variable_not_a_number`, `variable_reserved`. */
        VariableTargetLockedOrVariableNotANumberOrVariableReserved: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 409 `variable_target_locked`, `variable_reserved`. */
        VariableTargetLockedOrVariableReserved: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 409 `variable_target_locked`, `variable_reserved`, `branch_local_snapshot_missing`. */
        VariableTargetLockedOrVariableReservedOrBranchLocalSnapshotMissing: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /**
         * @description 400 `malformed_request`.
         *
         *     401 `auth_required`.
         *
         *     403 `auth_invalid_credentials`, `auth_account_disabled`, `auth_role_insufficient`, `host_not_allowed`, `origin_not_allowed`.
         *
         *     422 `idempotency_key_reused`.
         *
         *     431 `head_too_large`.
         *
         *     500 `internal_error`.
         *
         *     503 `store_unavailable`, `scripts_unavailable`, `request_timeout`, `write_pending`, `overloaded`, `store_damaged`.
         *
         *     507 `store_full`.
         */
        WriteError: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /**
         * @description 400 `malformed_request`.
         *
         *     401 `auth_required`.
         *
         *     403 `auth_invalid_credentials`, `auth_account_disabled`, `auth_role_insufficient`, `host_not_allowed`, `origin_not_allowed`.
         *
         *     413 `payload_too_large`.
         *
         *     415 `unsupported_media_type`.
         *
         *     422 `idempotency_key_reused`.
         *
         *     431 `head_too_large`.
         *
         *     500 `internal_error`.
         *
         *     503 `store_unavailable`, `scripts_unavailable`, `request_timeout`, `write_pending`, `overloaded`, `store_damaged`.
         *
         *     507 `store_full`.
         */
        WriteErrorWithBody: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
        /** @description 404 `write_not_found`: This server knows no such write: it never outlived its request, or it was long ago, or the server was started again. */
        WriteNotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
    };
    parameters: {
        /** @description The id. */
        Id: string;
        /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
        IdempotencyKey: string;
        /** @description Maximum number of rows. */
        Limit: number;
        /** @description Rows to skip. */
        Offset: number;
        /** @description `false` leaves `meta.total` out and saves the counting. */
        Total: boolean;
        /** @description A branch that shares it: that gets a copy of its own, and only the copy changes; default the branch it stands on. */
        BranchId: string;
        /** @description Whether it does not go to the trash; default false. */
        Permanent: boolean;
        /** @description The `ETag` that it must still have. */
        IfMatch: string;
        /** @description In which direction. */
        SortOrder: "asc" | "desc";
        /** @description In which direction. */
        SortOrderDesc: "asc" | "desc";
        /** @description The column to sort by. */
        SortBy: "created_at";
        /** @description The account's, or those of a character; default `global`. */
        Scope: components["schemas"]["FunctionScope"];
        /** @description With `scope=character`: the character. */
        CharacterId: string;
        /** @description The name: free text, percent-encoded. */
        Name: string;
        /** @description `*`: only if the variable does not exist. Otherwise `412`. */
        IfNoneMatch: "*";
        /** @description `false` leaves the texts out. */
        Content: boolean;
        /** @description The session. */
        SessionId: string;
        /**
         * @description Where the value stands: as commands write it (`小雪.好感`, `bag[0].name`), or a JSON Pointer if it starts with `/`.
         *     Empty for the whole state. At most 4096 bytes.
         */
        Path: string;
        /** @description Whether to list all pages of a floor. */
        Swipes: boolean;
        /** @description Whether to include what a floor changed in the state. */
        Changes: boolean;
        /** @description Positions below this one are left out. */
        FromFloor: number;
        /** @description Positions above this one are left out. */
        ToFloor: number;
        /** @description Only what comes behind this floor: the `next_after` of the previous response. */
        After: string;
        /** @description Only the last so many floors; together with the other bounds. */
        Last: number;
        /** @description Only entries with this text in their key, name or value, in any case. */
        Q: string;
        /** @description Only entries that stood here, such as `summary.small`. */
        Source: string;
        /** @description Only these keys. Repeat the parameter, once per key (`keys=gold&keys=mood`): a comma is an ordinary character. */
        Keys: string[];
        /** @description Only keys that start with this text. */
        Prefix: string;
    };
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    get_home: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The console is at `/console/`. */
            307: {
                headers: {
                    /** @description Where the console is. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["PublicError"];
        };
    };
    get_account: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The account and what the request may do. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountData"];
                };
            };
            404: components["responses"]["AccountNotFound"];
            default: components["responses"]["ReadError"];
        };
    };
    delete_account: {
        parameters: {
            query: {
                /** @description The id of the account that is to be deleted. */
                confirm: string;
            };
            header?: {
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It was deleted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedData"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["AccountNotFound"];
            409: components["responses"]["ConfirmationMismatch"];
            default: components["responses"]["WriteError"];
        };
    };
    export_account: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One JSON object per line. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                };
            };
            404: components["responses"]["AccountNotFound"];
            default: components["responses"]["ReadError"];
        };
    };
    apply_reply: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApplyRequest"];
            };
        };
        responses: {
            /** @description The result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppliedData"];
                };
            };
            400: components["responses"]["InvalidBody"];
            default: components["responses"]["ReadErrorWithBody"];
        };
    };
    list_all_approvals: {
        parameters: {
            query?: {
                /** @description Maximum number of rows. */
                limit?: components["parameters"]["Limit"];
                /** @description Rows to skip. */
                offset?: components["parameters"]["Offset"];
                /** @description `false` leaves `meta.total` out and saves the counting. */
                total?: components["parameters"]["Total"];
                /** @description The column to sort by. */
                sort_by?: components["parameters"]["SortBy"];
                /** @description In which direction. */
                sort_order?: components["parameters"]["SortOrder"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApprovalList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            default: components["responses"]["ReadError"];
        };
    };
    decide_approval: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Decision"];
            };
        };
        responses: {
            /** @description The call. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallData"];
                };
            };
            400: components["responses"]["InvalidBody"];
            404: components["responses"]["ApprovalNotFound"];
            409: components["responses"]["ApprovalSettledOrInvalidState"];
            429: components["responses"]["QuotaExceeded"];
            default: components["responses"]["WriteErrorWithBody"];
        };
    };
    delete_branch: {
        parameters: {
            query: {
                /** @description The session that the branch belongs to. */
                session_id: string;
                /** @description Whether it does not go to the trash; default false. */
                permanent?: components["parameters"]["Permanent"];
            };
            header?: {
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The branch's id: free text, percent-encoded. */
                branch_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It was deleted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedBranchData"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["SessionNotFoundOrBranchNotFound"];
            409: components["responses"]["ProtectedBranch"];
            default: components["responses"]["WriteError"];
        };
    };
    list_browsers: {
        parameters: {
            query?: {
                /** @description Maximum number of rows. */
                limit?: components["parameters"]["Limit"];
                /** @description Rows to skip. */
                offset?: components["parameters"]["Offset"];
                /** @description `false` leaves `meta.total` out and saves the counting. */
                total?: components["parameters"]["Total"];
                /** @description The column to sort by. */
                sort_by?: components["parameters"]["SortBy"];
                /** @description In which direction. */
                sort_order?: components["parameters"]["SortOrderDesc"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BrowserList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            default: components["responses"]["ReadError"];
        };
    };
    sign_out_browser: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is signed out. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedData"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["BrowserNotFound"];
            default: components["responses"]["WriteError"];
        };
    };
    get_call: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The call. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallData"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["CallNotFound"];
            default: components["responses"]["ReadError"];
        };
    };
    cancel_call: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The call. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallData"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["CallNotFound"];
            409: components["responses"]["InvalidState"];
            default: components["responses"]["WriteError"];
        };
    };
    return_call: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CallResult"];
            };
        };
        responses: {
            /** @description The call. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallData"];
                };
            };
            400: components["responses"]["InvalidBody"];
            404: components["responses"]["CallNotFound"];
            409: components["responses"]["InvalidState"];
            default: components["responses"]["WriteErrorWithBody"];
        };
    };
    list_characters: {
        parameters: {
            query?: {
                /** @description Maximum number of rows. */
                limit?: components["parameters"]["Limit"];
                /** @description Rows to skip. */
                offset?: components["parameters"]["Offset"];
                /** @description `false` leaves `meta.total` out and saves the counting. */
                total?: components["parameters"]["Total"];
                /** @description The column to sort by. */
                sort_by?: "name" | "created_at" | "updated_at";
                /** @description In which direction. */
                sort_order?: components["parameters"]["SortOrder"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CharacterSummaryList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            default: components["responses"]["ReadError"];
        };
    };
    create_character: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewCharacter"];
            };
        };
        responses: {
            /** @description The new character. */
            201: {
                headers: {
                    /** @description For `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CharacterData"];
                };
            };
            400: components["responses"]["InvalidBody"];
            409: components["responses"]["IdTaken"];
            429: components["responses"]["QuotaExceeded"];
            default: components["responses"]["WriteErrorWithBody"];
        };
    };
    get_character: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The character. */
            200: {
                headers: {
                    /** @description For `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CharacterData"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["CharacterNotFound"];
            default: components["responses"]["ReadError"];
        };
    };
    delete_character: {
        parameters: {
            query?: {
                /** @description Whether it does not go to the trash; default false. */
                permanent?: components["parameters"]["Permanent"];
            };
            header?: {
                /** @description The `ETag` that it must still have. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It was deleted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedData"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["CharacterNotFound"];
            412: components["responses"]["PreconditionFailed"];
            default: components["responses"]["WriteError"];
        };
    };
    update_character: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` that it must still have. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CharacterPatch"];
            };
        };
        responses: {
            /** @description The character after the change. */
            200: {
                headers: {
                    /** @description For `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CharacterData"];
                };
            };
            400: components["responses"]["InvalidBody"];
            404: components["responses"]["CharacterNotFound"];
            412: components["responses"]["PreconditionFailed"];
            429: components["responses"]["QuotaExceeded"];
            default: components["responses"]["WriteErrorWithBody"];
        };
    };
    export_character: {
        parameters: {
            query?: {
                /** @description The kind of file. */
                format?: "png" | "json";
            };
            header?: never;
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The card. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/png": string;
                    "application/json": components["schemas"]["JsonObject"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["CharacterNotFound"];
            default: components["responses"]["ReadError"];
        };
    };
    get_template: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The template. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TemplateData"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["CharacterNotFound"];
            default: components["responses"]["ReadError"];
        };
    };
    put_template: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewTemplate"];
            };
        };
        responses: {
            /** @description The template after the change. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TemplateData"];
                };
            };
            400: components["responses"]["InvalidBody"];
            404: components["responses"]["CharacterNotFound"];
            default: components["responses"]["WriteErrorWithBody"];
        };
    };
    compare_states: {
        parameters: {
            query: {
                /** @description The one place. */
                from: string;
                /** @description The other place. */
                to: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How they differ. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ComparisonData"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            /** @description 404 `session_not_found`, `branch_not_found`, `floor_not_found`, `page_not_found`, `snapshot_not_found`. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            default: components["responses"]["ReadError"];
        };
    };
    get_docs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page is at `/docs/`. */
            308: {
                headers: {
                    /** @description Where the page is. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["PublicError"];
        };
    };
    listen: {
        parameters: {
            query?: {
                /** @description Only what happens in this session. Global variables do not belong to any. */
                session_id?: string;
                /** @description With `session_id`: only what happens on this branch. */
                branch_id?: string;
                /**
                 * @description Only events with these names, separated by commas: `variable.set,floor.committed`.
                 * @example variable.set,floor.committed
                 */
                types?: string;
                /** @description The same as the header `Last-Event-ID`, for clients that cannot send one. The header wins. */
                last_event_id?: string;
            };
            header?: {
                /** @description The `id` of the last event that was seen. */
                "Last-Event-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Events, until one side ends it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["EventData"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["SessionNotFoundOrBranchNotFound"];
            410: components["responses"]["EventsPurged"];
            429: components["responses"]["QuotaExceeded"];
            default: components["responses"]["ReadError"];
        };
    };
    list_floors: {
        parameters: {
            query: {
                /** @description The session. */
                session_id: components["parameters"]["SessionId"];
                /** @description Only this branch. */
                branch_id?: string;
                /** @description Only floors in this state. */
                state?: "draft" | "generating" | "committed" | "failed";
                /** @description The column to sort by. */
                sort_by?: "floor_no";
                /** @description In which direction. */
                sort_order?: components["parameters"]["SortOrder"];
                /** @description Maximum number of rows. */
                limit?: components["parameters"]["Limit"];
                /** @description Rows to skip. */
                offset?: components["parameters"]["Offset"];
                /** @description `false` leaves `meta.total` out and saves the counting. */
                total?: components["parameters"]["Total"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FloorList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["SessionNotFoundOrBranchNotFound"];
            default: components["responses"]["ReadError"];
        };
    };
    create_floor: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewFloor"];
            };
        };
        responses: {
            /** @description The new floor. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FloorData"];
                };
            };
            400: components["responses"]["InvalidBody"];
            404: components["responses"]["SessionNotFoundOrFloorNotFound"];
            409: components["responses"]["ForkTooDeepOrIdTakenOrPositionTaken"];
            default: components["responses"]["WriteErrorWithBody"];
        };
    };
    delete_floors: {
        parameters: {
            query?: {
                /** @description Whether it does not go to the trash; default false. */
                permanent?: components["parameters"]["Permanent"];
            };
            header?: {
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeleteIds"];
            };
        };
        responses: {
            /** @description What was deleted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedManyData"];
                };
            };
            400: components["responses"]["InvalidBody"];
            default: components["responses"]["WriteErrorWithBody"];
        };
    };
    get_floor: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The floor. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FloorData"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["FloorNotFound"];
            default: components["responses"]["ReadError"];
        };
    };
    delete_floor: {
        parameters: {
            query?: {
                /** @description A branch that shares it: that gets a copy of its own, and only the copy changes; default the branch it stands on. */
                branch_id?: components["parameters"]["BranchId"];
                /** @description Whether it does not go to the trash; default false. */
                permanent?: components["parameters"]["Permanent"];
            };
            header?: {
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It was deleted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedData"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["BranchNotFoundOrFloorNotFound"];
            default: components["responses"]["WriteError"];
        };
    };
    update_floor: {
        parameters: {
            query?: {
                /** @description A branch that shares it: that gets a copy of its own, and only the copy changes; default the branch it stands on. */
                branch_id?: components["parameters"]["BranchId"];
            };
            header?: {
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FloorPatch"];
            };
        };
        responses: {
            /** @description The floor after the change. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FloorData"];
                };
            };
            /** @description 400 `validation_error`, `malformed_request`, `malformed_json`, `floor_patch_restricted_field`. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            404: components["responses"]["BranchNotFoundOrFloorNotFound"];
            409: components["responses"]["PositionTaken"];
            default: components["responses"]["WriteErrorWithBody"];
        };
    };
    fork_branch: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Fork"] | null;
            };
        };
        responses: {
            /** @description The new branch. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ForkedData"];
                };
            };
            400: components["responses"]["InvalidBody"];
            404: components["responses"]["FloorNotFoundOrPageNotFound"];
            409: components["responses"]["ForkTooDeepOrBranchExistsOrInvalidState"];
            default: components["responses"]["WriteErrorWithBody"];
        };
    };
    get_floor_change: {
        parameters: {
            query?: {
                /** @description Whether to include the commands of the text. */
                include_commands?: boolean;
            };
            header?: never;
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The change. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FloorChangeData"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["FloorNotFound"];
            default: components["responses"]["ReadError"];
        };
    };
    commit_floor: {
        parameters: {
            query?: {
                /** @description A branch that shares it: that gets a copy of its own, and only the copy changes; default the branch it stands on. */
                branch_id?: components["parameters"]["BranchId"];
            };
            header?: {
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Commit"] | null;
            };
        };
        responses: {
            /** @description The floor after the change. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FloorData"];
                };
            };
            400: components["responses"]["InvalidBody"];
            404: components["responses"]["BranchNotFoundOrFloorNotFoundOrPageNotFound"];
            409: components["responses"]["InvalidState"];
            429: components["responses"]["QuotaExceeded"];
            default: components["responses"]["WriteErrorWithBody"];
        };
    };
    fail_floor: {
        parameters: {
            query?: {
                /** @description A branch that shares it: that gets a copy of its own, and only the copy changes; default the branch it stands on. */
                branch_id?: components["parameters"]["BranchId"];
            };
            header?: {
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Nothing"] | null;
            };
        };
        responses: {
            /** @description The floor after the change. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FloorData"];
                };
            };
            400: components["responses"]["InvalidBody"];
            404: components["responses"]["BranchNotFoundOrFloorNotFound"];
            409: components["responses"]["InvalidState"];
            default: components["responses"]["WriteErrorWithBody"];
        };
    };
    generate_floor: {
        parameters: {
            query?: {
                /** @description A branch that shares it: that gets a copy of its own, and only the copy changes; default the branch it stands on. */
                branch_id?: components["parameters"]["BranchId"];
            };
            header?: {
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Generate"] | null;
            };
        };
        responses: {
            /** @description The floor after the change. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FloorData"];
                };
            };
            400: components["responses"]["InvalidBody"];
            404: components["responses"]["BranchNotFoundOrFloorNotFound"];
            409: components["responses"]["InvalidState"];
            default: components["responses"]["WriteErrorWithBody"];
        };
    };
    list_functions: {
        parameters: {
            query?: {
                /** @description Maximum number of rows. */
                limit?: components["parameters"]["Limit"];
                /** @description Rows to skip. */
                offset?: components["parameters"]["Offset"];
                /** @description `false` leaves `meta.total` out and saves the counting. */
                total?: components["parameters"]["Total"];
                /** @description The account's, or those of a character; default `global`. */
                scope?: components["parameters"]["Scope"];
                /** @description With `scope=character`: the character. */
                character_id?: components["parameters"]["CharacterId"];
                /** @description The column to sort by. */
                sort_by?: "order";
                /** @description In which direction. */
                sort_order?: components["parameters"]["SortOrder"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FunctionList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["CharacterNotFound"];
            default: components["responses"]["ReadError"];
        };
    };
    create_function: {
        parameters: {
            query?: {
                /** @description The account's, or those of a character; default `global`. */
                scope?: components["parameters"]["Scope"];
                /** @description With `scope=character`: the character. */
                character_id?: components["parameters"]["CharacterId"];
            };
            header?: {
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewFunction"];
            };
        };
        responses: {
            /** @description The function. */
            201: {
                headers: {
                    /** @description For `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FunctionData"];
                };
            };
            400: components["responses"]["InvalidBody"];
            404: components["responses"]["CharacterNotFound"];
            409: components["responses"]["IdTaken"];
            429: components["responses"]["QuotaExceeded"];
            default: components["responses"]["WriteErrorWithBody"];
        };
    };
    export_functions: {
        parameters: {
            query?: {
                /** @description The account's, or those of a character; default `global`. */
                scope?: components["parameters"]["Scope"];
                /** @description With `scope=character`: the character. */
                character_id?: components["parameters"]["CharacterId"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ExportFunctions"];
            };
        };
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FunctionFileData"];
                };
            };
            400: components["responses"]["InvalidBody"];
            404: components["responses"]["CharacterNotFoundOrFunctionNotFound"];
            default: components["responses"]["ReadErrorWithBody"];
        };
    };
    import_functions: {
        parameters: {
            query?: {
                /** @description The account's, or those of a character; default `global`. */
                scope?: components["parameters"]["Scope"];
                /** @description With `scope=character`: the character. */
                character_id?: components["parameters"]["CharacterId"];
            };
            header?: {
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FunctionFile"];
            };
        };
        responses: {
            /** @description The functions, in the order of the file. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FunctionAll"];
                };
            };
            400: components["responses"]["InvalidBody"];
            404: components["responses"]["CharacterNotFound"];
            429: components["responses"]["QuotaExceeded"];
            default: components["responses"]["WriteErrorWithBody"];
        };
    };
    function_prompt: {
        parameters: {
            query?: {
                /** @description The account's, or those of a character; default `global`. */
                scope?: components["parameters"]["Scope"];
                /** @description With `scope=character`: the character. */
                character_id?: components["parameters"]["CharacterId"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The block for the prompt. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FunctionPromptData"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["CharacterNotFound"];
            default: components["responses"]["ReadError"];
        };
    };
    reorder_functions: {
        parameters: {
            query?: {
                /** @description The account's, or those of a character; default `global`. */
                scope?: components["parameters"]["Scope"];
                /** @description With `scope=character`: the character. */
                character_id?: components["parameters"]["CharacterId"];
            };
            header?: {
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReorderFunctions"];
            };
        };
        responses: {
            /** @description The functions in their new order. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FunctionAll"];
                };
            };
            400: components["responses"]["InvalidBody"];
            404: components["responses"]["CharacterNotFound"];
            default: components["responses"]["WriteErrorWithBody"];
        };
    };
    test_functions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TestFunctions"];
            };
        };
        responses: {
            /** @description What came of it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TestedFunctionsData"];
                };
            };
            400: components["responses"]["InvalidBody"];
            /** @description 503 `store_unavailable`, `scripts_unavailable`, `request_timeout`, `overloaded`, `store_damaged`. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            default: components["responses"]["ReadErrorWithBody"];
        };
    };
    get_function: {
        parameters: {
            query?: {
                /** @description The account's, or those of a character; default `global`. */
                scope?: components["parameters"]["Scope"];
                /** @description With `scope=character`: the character. */
                character_id?: components["parameters"]["CharacterId"];
            };
            header?: never;
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The function. */
            200: {
                headers: {
                    /** @description For `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FunctionData"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["CharacterNotFoundOrFunctionNotFound"];
            default: components["responses"]["ReadError"];
        };
    };
    delete_function: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` that it must still have. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It was deleted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedData"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["FunctionNotFound"];
            409: components["responses"]["FunctionBuiltIn"];
            412: components["responses"]["PreconditionFailed"];
            default: components["responses"]["WriteError"];
        };
    };
    update_function: {
        parameters: {
            query?: {
                /** @description The account's, or those of a character; default `global`. */
                scope?: components["parameters"]["Scope"];
                /** @description With `scope=character`: the character. */
                character_id?: components["parameters"]["CharacterId"];
            };
            header?: {
                /** @description The `ETag` that it must still have. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FunctionPatch"];
            };
        };
        responses: {
            /** @description The function after the change. */
            200: {
                headers: {
                    /** @description For `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FunctionData"];
                };
            };
            400: components["responses"]["InvalidBody"];
            404: components["responses"]["CharacterNotFoundOrFunctionNotFound"];
            409: components["responses"]["FunctionBuiltIn"];
            412: components["responses"]["PreconditionFailed"];
            429: components["responses"]["QuotaExceeded"];
            default: components["responses"]["WriteErrorWithBody"];
        };
    };
    copy_function: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CopyFunction"];
            };
        };
        responses: {
            /** @description The copy. */
            201: {
                headers: {
                    /** @description For `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FunctionData"];
                };
            };
            400: components["responses"]["InvalidBody"];
            404: components["responses"]["CharacterNotFoundOrFunctionNotFound"];
            429: components["responses"]["QuotaExceeded"];
            default: components["responses"]["WriteErrorWithBody"];
        };
    };
    move_function: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` that it must still have. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MoveFunction"];
            };
        };
        responses: {
            /** @description The function after the change. */
            200: {
                headers: {
                    /** @description For `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FunctionData"];
                };
            };
            400: components["responses"]["InvalidBody"];
            404: components["responses"]["CharacterNotFoundOrFunctionNotFound"];
            409: components["responses"]["FunctionBuiltIn"];
            412: components["responses"]["PreconditionFailed"];
            429: components["responses"]["QuotaExceeded"];
            default: components["responses"]["WriteErrorWithBody"];
        };
    };
    list_global_snapshots: {
        parameters: {
            query?: {
                /** @description Maximum number of rows. */
                limit?: components["parameters"]["Limit"];
                /** @description Rows to skip. */
                offset?: components["parameters"]["Offset"];
                /** @description `false` leaves `meta.total` out and saves the counting. */
                total?: components["parameters"]["Total"];
                /** @description Only those with exactly this tag. */
                tag?: string;
                /** @description The column to sort by. */
                sort_by?: "updated_at";
                /** @description In which direction. */
                sort_order?: components["parameters"]["SortOrderDesc"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GlobalSnapshotList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            default: components["responses"]["ReadError"];
        };
    };
    create_global_snapshot: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewGlobalSnapshot"];
            };
        };
        responses: {
            /** @description The global snapshot, without its document. */
            201: {
                headers: {
                    /** @description For `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GlobalSnapshotData"];
                };
            };
            400: components["responses"]["InvalidBody"];
            404: components["responses"]["PageNotFoundOrSnapshotNotFound"];
            409: components["responses"]["IdTaken"];
            429: components["responses"]["QuotaExceeded"];
            default: components["responses"]["WriteErrorWithBody"];
        };
    };
    get_global_snapshot: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The global snapshot with its document. */
            200: {
                headers: {
                    /** @description For `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GlobalSnapshotData"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["GlobalSnapshotNotFound"];
            default: components["responses"]["ReadError"];
        };
    };
    delete_global_snapshot: {
        parameters: {
            query?: {
                /** @description Whether it does not go to the trash; default false. */
                permanent?: components["parameters"]["Permanent"];
            };
            header?: {
                /** @description The `ETag` that it must still have. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It was deleted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedData"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["GlobalSnapshotNotFound"];
            412: components["responses"]["PreconditionFailed"];
            default: components["responses"]["WriteError"];
        };
    };
    update_global_snapshot: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` that it must still have. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GlobalSnapshotPatch"];
            };
        };
        responses: {
            /** @description The global snapshot after the change, without its document. */
            200: {
                headers: {
                    /** @description For `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GlobalSnapshotData"];
                };
            };
            400: components["responses"]["InvalidBody"];
            404: components["responses"]["GlobalSnapshotNotFound"];
            412: components["responses"]["PreconditionFailed"];
            default: components["responses"]["WriteErrorWithBody"];
        };
    };
    apply_global_snapshot: {
        parameters: {
            query?: {
                /** @description A branch that shares it: that gets a copy of its own, and only the copy changes; default the branch it stands on. */
                branch_id?: components["parameters"]["BranchId"];
            };
            header?: {
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApplyGlobalSnapshot"];
            };
        };
        responses: {
            /** @description The page's snapshot after the change. */
            200: {
                headers: {
                    /** @description For `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SnapshotData"];
                };
            };
            400: components["responses"]["InvalidBody"];
            404: components["responses"]["PageNotFoundOrGlobalSnapshotNotFound"];
            409: components["responses"]["ParentMovedOrBranchBusyOrInvalidState"];
            429: components["responses"]["QuotaExceeded"];
            default: components["responses"]["WriteErrorWithBody"];
        };
    };
    get_health: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Everything works. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthData"];
                };
            };
            default: components["responses"]["PublicError"];
        };
    };
    import_file: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ImportRequest"];
                "multipart/form-data": components["schemas"]["ImportForm"];
            };
        };
        responses: {
            /** @description What became of something that was there, or would come of it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportReportData"];
                };
            };
            /** @description What was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportReportData"];
                };
            };
            400: components["responses"]["InvalidBody"];
            404: components["responses"]["CharacterNotFound"];
            /** @description 409 `sync_conflict`, `sync_deletes`, `chat_moved`, `import_exists`, `id_taken`, `position_taken`. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            413: components["responses"]["PayloadTooLargeOrSyncTooLargeOrImportTooLarge"];
            422: components["responses"]["ImportUnreadableOrIdempotencyKeyReused"];
            429: components["responses"]["QuotaExceeded"];
            default: components["responses"]["WriteErrorWithBody"];
        };
    };
    list_jobs: {
        parameters: {
            query?: {
                /** @description Maximum number of rows. */
                limit?: components["parameters"]["Limit"];
                /** @description Rows to skip. */
                offset?: components["parameters"]["Offset"];
                /** @description `false` leaves `meta.total` out and saves the counting. */
                total?: components["parameters"]["Total"];
                /** @description The column to sort by. */
                sort_by?: components["parameters"]["SortBy"];
                /** @description In which direction. */
                sort_order?: components["parameters"]["SortOrderDesc"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            default: components["responses"]["ReadError"];
        };
    };
    get_job: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobData"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["JobNotFound"];
            default: components["responses"]["ReadError"];
        };
    };
    cancel_job: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job after the change. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobData"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["JobNotFound"];
            409: components["responses"]["InvalidState"];
            default: components["responses"]["WriteError"];
        };
    };
    list_keys: {
        parameters: {
            query?: {
                /** @description Maximum number of rows. */
                limit?: components["parameters"]["Limit"];
                /** @description Rows to skip. */
                offset?: components["parameters"]["Offset"];
                /** @description `false` leaves `meta.total` out and saves the counting. */
                total?: components["parameters"]["Total"];
                /** @description The column to sort by. */
                sort_by?: components["parameters"]["SortBy"];
                /** @description In which direction. */
                sort_order?: components["parameters"]["SortOrder"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            default: components["responses"]["ReadError"];
        };
    };
    create_key: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewKey"];
            };
        };
        responses: {
            /** @description The new key with its secret. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedKeyData"];
                };
            };
            400: components["responses"]["InvalidBody"];
            409: components["responses"]["InvalidState"];
            429: components["responses"]["QuotaExceeded"];
            default: components["responses"]["WriteErrorWithBody"];
        };
    };
    revoke_key: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is revoked. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedData"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["KeyNotFound"];
            default: components["responses"]["WriteError"];
        };
    };
    get_metrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The metrics. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/openmetrics-text": string;
                };
            };
            default: components["responses"]["ReadError"];
        };
    };
    get_openapi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The API document. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": JsonObject;
                };
            };
            default: components["responses"]["PublicError"];
        };
    };
    list_pages: {
        parameters: {
            query: {
                /** @description The floor. */
                floor_id: string;
                /** @description Only this slot. */
                page_no?: number;
                /** @description Only the chosen swipes, or only the others. */
                is_active?: boolean;
                /** @description `false` leaves the texts out. */
                content?: components["parameters"]["Content"];
                /** @description The column to sort by. */
                sort_by?: "page_no";
                /** @description In which direction. */
                sort_order?: components["parameters"]["SortOrder"];
                /** @description Maximum number of rows. */
                limit?: components["parameters"]["Limit"];
                /** @description Rows to skip. */
                offset?: components["parameters"]["Offset"];
                /** @description `false` leaves `meta.total` out and saves the counting. */
                total?: components["parameters"]["Total"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["FloorNotFound"];
            default: components["responses"]["ReadError"];
        };
    };
    create_page: {
        parameters: {
            query?: {
                /** @description A branch that shares it: that gets a copy of its own, and only the copy changes; default the branch it stands on. */
                branch_id?: components["parameters"]["BranchId"];
            };
            header?: {
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPage"];
            };
        };
        responses: {
            /** @description The new page. */
            201: {
                headers: {
                    /** @description For `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageData"];
                };
            };
            400: components["responses"]["InvalidBody"];
            404: components["responses"]["BranchNotFoundOrFloorNotFound"];
            409: components["responses"]["IdTakenOrPositionTaken"];
            default: components["responses"]["WriteErrorWithBody"];
        };
    };
    delete_pages: {
        parameters: {
            query?: {
                /** @description Whether it does not go to the trash; default false. */
                permanent?: components["parameters"]["Permanent"];
            };
            header?: {
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeleteIds"];
            };
        };
        responses: {
            /** @description What was deleted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedManyData"];
                };
            };
            400: components["responses"]["InvalidBody"];
            default: components["responses"]["WriteErrorWithBody"];
        };
    };
    get_page: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page. */
            200: {
                headers: {
                    /** @description For `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageData"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["PageNotFound"];
            default: components["responses"]["ReadError"];
        };
    };
    delete_page: {
        parameters: {
            query?: {
                /** @description A branch that shares it: that gets a copy of its own, and only the copy changes; default the branch it stands on. */
                branch_id?: components["parameters"]["BranchId"];
                /** @description Whether it does not go to the trash; default false. */
                permanent?: components["parameters"]["Permanent"];
            };
            header?: {
                /** @description The `ETag` that it must still have. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It was deleted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedData"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["BranchNotFoundOrPageNotFound"];
            412: components["responses"]["PreconditionFailed"];
            default: components["responses"]["WriteError"];
        };
    };
    update_page: {
        parameters: {
            query?: {
                /** @description A branch that shares it: that gets a copy of its own, and only the copy changes; default the branch it stands on. */
                branch_id?: components["parameters"]["BranchId"];
            };
            header?: {
                /** @description The `ETag` that it must still have. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PagePatch"];
            };
        };
        responses: {
            /** @description The page after the change. */
            200: {
                headers: {
                    /** @description For `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageData"];
                };
            };
            400: components["responses"]["InvalidBody"];
            404: components["responses"]["BranchNotFoundOrPageNotFound"];
            412: components["responses"]["PreconditionFailed"];
            default: components["responses"]["WriteErrorWithBody"];
        };
    };
    activate_page: {
        parameters: {
            query?: {
                /** @description A branch that shares it: that gets a copy of its own, and only the copy changes; default the branch it stands on. */
                branch_id?: components["parameters"]["BranchId"];
            };
            header?: {
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page after the change. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PageData"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["BranchNotFoundOrPageNotFound"];
            default: components["responses"]["WriteError"];
        };
    };
    get_page_blame: {
        parameters: {
            query: {
                /**
                 * @description Where the value stands: as commands write it (`小雪.好感`, `bag[0].name`), or a JSON Pointer if it starts with `/`.
                 *     Empty for the whole state. At most 4096 bytes.
                 */
                path: components["parameters"]["Path"];
            };
            header?: never;
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What set it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BlameData"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["PageNotFound"];
            default: components["responses"]["ReadError"];
        };
    };
    fork_page: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PageFork"] | null;
            };
        };
        responses: {
            /** @description The new branch. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ForkedData"];
                };
            };
            400: components["responses"]["InvalidBody"];
            404: components["responses"]["PageNotFound"];
            409: components["responses"]["ForkTooDeepOrBranchExistsOrInvalidState"];
            default: components["responses"]["WriteErrorWithBody"];
        };
    };
    list_page_edits: {
        parameters: {
            query?: {
                /** @description Maximum number of rows. */
                limit?: components["parameters"]["Limit"];
                /** @description Rows to skip. */
                offset?: components["parameters"]["Offset"];
                /** @description `false` leaves `meta.total` out and saves the counting. */
                total?: components["parameters"]["Total"];
                /** @description The column to sort by. */
                sort_by?: "number";
                /** @description In which direction. */
                sort_order?: components["parameters"]["SortOrder"];
            };
            header?: never;
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EditList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["PageNotFound"];
            default: components["responses"]["ReadError"];
        };
    };
    delete_page_edit: {
        parameters: {
            query?: {
                /** @description A branch that shares it: that gets a copy of its own, and only the copy changes; default the branch it stands on. */
                branch_id?: components["parameters"]["BranchId"];
            };
            header?: {
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The page. */
                id: string;
                /** @description The edit. */
                edit_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page's snapshot after that. */
            200: {
                headers: {
                    /** @description For `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SnapshotData"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["BranchNotFoundOrPageNotFoundOrEditNotFound"];
            409: components["responses"]["ParentMovedOrBranchBusyOrInvalidState"];
            429: components["responses"]["QuotaExceeded"];
            default: components["responses"]["WriteError"];
        };
    };
    redo_page: {
        parameters: {
            query?: {
                /** @description A branch that shares it: that gets a copy of its own, and only the copy changes; default the branch it stands on. */
                branch_id?: components["parameters"]["BranchId"];
            };
            header?: {
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The snapshot after the change. */
            200: {
                headers: {
                    /** @description For `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SnapshotData"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["BranchNotFoundOrPageNotFound"];
            409: components["responses"]["ParentMovedOrBranchBusyOrInvalidState"];
            429: components["responses"]["QuotaExceeded"];
            default: components["responses"]["WriteError"];
        };
    };
    get_page_state: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The state. */
            200: {
                headers: {
                    /** @description For `If-Match`; only of a page with a state of its own. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StateData"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["PageNotFound"];
            default: components["responses"]["ReadError"];
        };
    };
    patch_page_state: {
        parameters: {
            query?: {
                /** @description A branch that shares it: that gets a copy of its own, and only the copy changes; default the branch it stands on. */
                branch_id?: components["parameters"]["BranchId"];
            };
            header?: {
                /** @description The `ETag` that the page's snapshot must still have. */
                "If-Match"?: string;
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StateEdit"];
                "application/json-patch+json": components["schemas"]["StatePatch"];
                "application/merge-patch+json": components["schemas"]["StatePatch"];
            };
        };
        responses: {
            /** @description The page's snapshot after the change. */
            200: {
                headers: {
                    /** @description For `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SnapshotData"];
                };
            };
            400: components["responses"]["InvalidBody"];
            404: components["responses"]["BranchNotFoundOrPageNotFound"];
            409: components["responses"]["ParentMovedOrBranchBusyOrInvalidState"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["PatchFailedOrIdempotencyKeyReused"];
            429: components["responses"]["QuotaExceeded"];
            default: components["responses"]["WriteErrorWithBody"];
        };
    };
    undo_page: {
        parameters: {
            query?: {
                /** @description A branch that shares it: that gets a copy of its own, and only the copy changes; default the branch it stands on. */
                branch_id?: components["parameters"]["BranchId"];
            };
            header?: {
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UndoRequest"] | null;
            };
        };
        responses: {
            /** @description The snapshot after the change. */
            200: {
                headers: {
                    /** @description For `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SnapshotData"];
                };
            };
            400: components["responses"]["InvalidBody"];
            404: components["responses"]["BranchNotFoundOrPageNotFound"];
            409: components["responses"]["ParentMovedOrBranchBusyOrInvalidState"];
            429: components["responses"]["QuotaExceeded"];
            default: components["responses"]["WriteErrorWithBody"];
        };
    };
    list_promotions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The promotions. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PromotionsData"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["ReadError"];
        };
    };
    list_staged_writes: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The proposals. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StagedWritesData"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["NotFound"];
            default: components["responses"]["ReadError"];
        };
    };
    stage_variable_write: {
        parameters: {
            query?: {
                /** @description A branch that shares it: that gets a copy of its own, and only the copy changes; default the branch it stands on. */
                branch_id?: components["parameters"]["BranchId"];
            };
            header?: {
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewStagedWrite"];
            };
        };
        responses: {
            /** @description The proposal. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StagedWriteData"];
                };
            };
            400: components["responses"]["InvalidBody"];
            404: components["responses"]["BranchNotFoundOrPageNotFoundOrNotFound"];
            409: components["responses"]["VariableTargetLockedOrVariableReserved"];
            429: components["responses"]["QuotaExceeded"];
            default: components["responses"]["WriteErrorWithBody"];
        };
    };
    list_profiles: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The profiles. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NamedProfileAll"];
                };
            };
            default: components["responses"]["ReadError"];
        };
    };
    list_sessions: {
        parameters: {
            query?: {
                /** @description Maximum number of rows. */
                limit?: components["parameters"]["Limit"];
                /** @description Rows to skip. */
                offset?: components["parameters"]["Offset"];
                /** @description `false` leaves `meta.total` out and saves the counting. */
                total?: components["parameters"]["Total"];
                /**
                 * @description Only the session whose chat has this name.
                 * @example Yuki - 2024-10-20
                 */
                chat_file?: string;
                /** @description The column to sort by. */
                sort_by?: "created_at" | "updated_at";
                /** @description In which direction. */
                sort_order?: components["parameters"]["SortOrderDesc"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            default: components["responses"]["ReadError"];
        };
    };
    create_session: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewSession"];
            };
        };
        responses: {
            /** @description The new session. */
            201: {
                headers: {
                    /** @description For `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionData"];
                };
            };
            400: components["responses"]["InvalidBody"];
            404: components["responses"]["CharacterNotFound"];
            409: components["responses"]["IdTaken"];
            429: components["responses"]["QuotaExceeded"];
            default: components["responses"]["WriteErrorWithBody"];
        };
    };
    delete_sessions: {
        parameters: {
            query?: {
                /** @description Whether it does not go to the trash; default false. */
                permanent?: components["parameters"]["Permanent"];
            };
            header?: {
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeleteIds"];
            };
        };
        responses: {
            /** @description What was deleted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedManyData"];
                };
            };
            400: components["responses"]["InvalidBody"];
            default: components["responses"]["WriteErrorWithBody"];
        };
    };
    get_session: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session. */
            200: {
                headers: {
                    /** @description For `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionData"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["SessionNotFound"];
            default: components["responses"]["ReadError"];
        };
    };
    delete_session: {
        parameters: {
            query?: {
                /** @description Whether it does not go to the trash; default false. */
                permanent?: components["parameters"]["Permanent"];
            };
            header?: {
                /** @description The `ETag` that it must still have. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It was deleted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedData"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["SessionNotFound"];
            412: components["responses"]["PreconditionFailed"];
            default: components["responses"]["WriteError"];
        };
    };
    update_session: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` that it must still have. */
                "If-Match"?: components["parameters"]["IfMatch"];
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SessionPatch"];
            };
        };
        responses: {
            /** @description The session after the change. */
            200: {
                headers: {
                    /** @description For `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionData"];
                };
            };
            400: components["responses"]["InvalidBody"];
            404: components["responses"]["SessionNotFoundOrCharacterNotFound"];
            409: components["responses"]["IdTaken"];
            412: components["responses"]["PreconditionFailed"];
            default: components["responses"]["WriteErrorWithBody"];
        };
    };
    list_approvals: {
        parameters: {
            query?: {
                /** @description Maximum number of rows. */
                limit?: components["parameters"]["Limit"];
                /** @description Rows to skip. */
                offset?: components["parameters"]["Offset"];
                /** @description `false` leaves `meta.total` out and saves the counting. */
                total?: components["parameters"]["Total"];
                /** @description The column to sort by. */
                sort_by?: components["parameters"]["SortBy"];
                /** @description In which direction. */
                sort_order?: components["parameters"]["SortOrder"];
            };
            header?: never;
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApprovalList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["SessionNotFound"];
            default: components["responses"]["ReadError"];
        };
    };
    list_branches: {
        parameters: {
            query?: {
                /** @description Maximum number of rows. */
                limit?: components["parameters"]["Limit"];
                /** @description Rows to skip. */
                offset?: components["parameters"]["Offset"];
                /** @description `false` leaves `meta.total` out and saves the counting. */
                total?: components["parameters"]["Total"];
                /** @description The column to sort by. */
                sort_by?: components["parameters"]["SortBy"];
                /** @description In which direction. */
                sort_order?: components["parameters"]["SortOrder"];
            };
            header?: never;
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BranchList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["SessionNotFound"];
            default: components["responses"]["ReadError"];
        };
    };
    list_calls: {
        parameters: {
            query?: {
                /** @description Only with this status. */
                status?: "awaiting_approval" | "awaiting_client" | "running" | "success" | "error" | "execution_rejected" | "result_rejected" | "not_found" | "cancelled" | "interrupted";
                /** @description Only of this tool. */
                tool?: string;
                /** @description Only those that belong to this page. */
                page_id?: string;
                /** @description Maximum number of rows. */
                limit?: components["parameters"]["Limit"];
                /** @description Rows to skip. */
                offset?: components["parameters"]["Offset"];
                /** @description `false` leaves `meta.total` out and saves the counting. */
                total?: components["parameters"]["Total"];
                /** @description The column to sort by. */
                sort_by?: components["parameters"]["SortBy"];
                /** @description In which direction. */
                sort_order?: components["parameters"]["SortOrderDesc"];
            };
            header?: never;
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["SessionNotFound"];
            default: components["responses"]["ReadError"];
        };
    };
    create_call: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewCall"];
            };
        };
        responses: {
            /** @description The call. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallData"];
                };
            };
            400: components["responses"]["InvalidBody"];
            404: components["responses"]["SessionNotFoundOrPageNotFound"];
            409: components["responses"]["InvalidState"];
            429: components["responses"]["QuotaExceeded"];
            default: components["responses"]["WriteErrorWithBody"];
        };
    };
    export_session: {
        parameters: {
            query?: {
                /** @description The kind of file. */
                format?: "sillytavern";
                /** @description The branch; default `main`. */
                branch_id?: string;
            };
            header?: never;
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One JSON object per line. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["SessionNotFoundOrBranchNotFound"];
            default: components["responses"]["ReadError"];
        };
    };
    get_floor_by_number: {
        parameters: {
            query?: {
                /** @description The branch; default `main`. Floors before the place where it was forked belong to it. */
                branch_id?: string;
                /** @description `false` leaves the texts out. */
                content?: components["parameters"]["Content"];
                /** @description Whether to list all pages of a floor. */
                swipes?: components["parameters"]["Swipes"];
                /** @description Whether to include what a floor changed in the state. */
                changes?: components["parameters"]["Changes"];
            };
            header?: never;
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
                /** @description The position of the floor. */
                floor_no: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The floor. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TranscriptFloorData"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["SessionNotFoundOrBranchNotFoundOrFloorNotFound"];
            default: components["responses"]["ReadError"];
        };
    };
    list_grants: {
        parameters: {
            query?: {
                /** @description Maximum number of rows. */
                limit?: components["parameters"]["Limit"];
                /** @description Rows to skip. */
                offset?: components["parameters"]["Offset"];
                /** @description `false` leaves `meta.total` out and saves the counting. */
                total?: components["parameters"]["Total"];
                /** @description The column to sort by. */
                sort_by?: components["parameters"]["SortBy"];
                /** @description In which direction. */
                sort_order?: components["parameters"]["SortOrderDesc"];
            };
            header?: never;
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GrantList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["SessionNotFound"];
            default: components["responses"]["ReadError"];
        };
    };
    revoke_grant: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The session. */
                id: string;
                /** @description The decision. */
                grant_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevokedGrantData"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["SessionNotFoundOrGrantNotFound"];
            default: components["responses"]["WriteError"];
        };
    };
    get_session_history: {
        parameters: {
            query: {
                /**
                 * @description Where the value stands: as commands write it (`小雪.好感`, `bag[0].name`), or a JSON Pointer if it starts with `/`.
                 *     Empty for the whole state. At most 4096 bytes.
                 */
                path: components["parameters"]["Path"];
                /** @description Maximum number of points. */
                limit?: number;
                /** @description The branch; default `main`. Floors before the place where it was forked belong to it. */
                branch_id?: string;
                /** @description Positions below this one are left out. */
                from_floor?: components["parameters"]["FromFloor"];
                /** @description Positions above this one are left out. */
                to_floor?: components["parameters"]["ToFloor"];
                /** @description Only what comes behind this floor: the `next_after` of the previous response. */
                after?: components["parameters"]["After"];
            };
            header?: never;
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The value over the chat. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HistoryData"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["SessionNotFoundOrBranchNotFoundOrFloorNotFound"];
            default: components["responses"]["ReadError"];
        };
    };
    get_session_log: {
        parameters: {
            query?: {
                /** @description The branch; default `main`. Floors before the place where it was forked belong to it. */
                branch_id?: string;
                /** @description Positions below this one are left out. */
                from_floor?: components["parameters"]["FromFloor"];
                /** @description Positions above this one are left out. */
                to_floor?: components["parameters"]["ToFloor"];
                /** @description Only what comes behind this floor: the `next_after` of the previous response. */
                after?: components["parameters"]["After"];
                /** @description Maximum number of floors. */
                limit?: number;
                /** @description Only the last so many floors; together with the other bounds. */
                last?: components["parameters"]["Last"];
            };
            header?: never;
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The floors. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LogData"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["SessionNotFoundOrBranchNotFoundOrFloorNotFound"];
            default: components["responses"]["ReadError"];
        };
    };
    get_memory: {
        parameters: {
            query?: {
                /** @description The branch; default `main`. */
                branch_id?: string;
            };
            header?: never;
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The view. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MemoryViewData"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["SessionNotFoundOrBranchNotFound"];
            default: components["responses"]["ReadError"];
        };
    };
    list_memory_archive: {
        parameters: {
            query?: {
                /** @description The branch; default `main`. */
                branch_id?: string;
                /** @description Only entries with this text in their key, name or value, in any case. */
                q?: components["parameters"]["Q"];
                /** @description Only entries that stood here, such as `summary.small`. */
                source?: components["parameters"]["Source"];
                /** @description Only entries under this name, such as that of a world. */
                name?: string;
                /** @description Maximum number of rows. */
                limit?: components["parameters"]["Limit"];
                /** @description Rows to skip. */
                offset?: components["parameters"]["Offset"];
                /** @description `false` leaves `meta.total` out and saves the counting. */
                total?: components["parameters"]["Total"];
                /** @description By what to sort. */
                sort_by?: "floor_no";
                /** @description In which direction. */
                sort_order?: components["parameters"]["SortOrder"];
            };
            header?: never;
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The entries. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArchiveEntryList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["SessionNotFoundOrBranchNotFound"];
            default: components["responses"]["ReadError"];
        };
    };
    export_memory_archive: {
        parameters: {
            query?: {
                /** @description The branch; default `main`. */
                branch_id?: string;
                /** @description Only entries with this text in their key, name or value, in any case. */
                q?: components["parameters"]["Q"];
                /** @description Only entries that stood here, such as `summary.small`. */
                source?: components["parameters"]["Source"];
                /** @description Only entries under this name, such as that of a world. */
                name?: string;
            };
            header?: never;
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One JSON object per line. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["SessionNotFoundOrBranchNotFound"];
            default: components["responses"]["ReadError"];
        };
    };
    summarize_memory: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewSummary"];
            };
        };
        responses: {
            /** @description The page's snapshot after the change. */
            200: {
                headers: {
                    /** @description For `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SnapshotData"];
                };
            };
            400: components["responses"]["InvalidBody"];
            404: components["responses"]["SessionNotFoundOrBranchNotFound"];
            409: components["responses"]["ParentMovedOrInvalidState"];
            429: components["responses"]["QuotaExceeded"];
            502: components["responses"]["ModelUnavailable"];
            default: components["responses"]["WriteErrorWithBody"];
        };
    };
    process_session: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ProcessRequest"] | null;
            };
        };
        responses: {
            /** @description The result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProcessReportData"];
                };
            };
            /** @description It takes longer than a second; this job continues it. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobData"];
                };
            };
            400: components["responses"]["InvalidBody"];
            404: components["responses"]["SessionNotFoundOrBranchNotFound"];
            409: components["responses"]["ParentMovedOrBranchBusy"];
            429: components["responses"]["QuotaExceeded"];
            default: components["responses"]["WriteErrorWithBody"];
        };
    };
    get_prompt_kit: {
        parameters: {
            query?: {
                /** @description The branch; default `main`. */
                branch_id?: string;
                /** @description The view; default the first of the profile, or all of the state as YAML. */
                view?: string;
                /** @description Show only what changed since this floor; a negative number counts back from the last one. */
                changed_since?: number;
                /**
                 * @description The position of the reply that is written, for another swipe of an earlier floor: the state before it is shown. Default behind
                 *     the last floor.
                 */
                before_floor?: number;
            };
            header?: never;
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The kit. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PromptKitData"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            /** @description 404 `session_not_found`, `branch_not_found`, `floor_not_found`, `view_not_found`. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            default: components["responses"]["ReadError"];
        };
    };
    preview_prompt: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PromptRequest"];
            };
        };
        responses: {
            /** @description The prompt. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RenderedPromptData"];
                };
            };
            /** @description 400 `validation_error`, `malformed_request`, `malformed_json`, `invalid_variable_context`. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description 404 `session_not_found`, `branch_not_found`, `source_floor_not_found`, `page_not_found`. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            409: components["responses"]["BranchLocalSnapshotMissing"];
            default: components["responses"]["ReadErrorWithBody"];
        };
    };
    render_prompt: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PromptRequest"];
            };
        };
        responses: {
            /** @description The prompt. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RenderedPromptData"];
                };
            };
            /** @description 400 `validation_error`, `malformed_request`, `malformed_json`, `invalid_variable_context`. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            /** @description 404 `session_not_found`, `branch_not_found`, `source_floor_not_found`, `page_not_found`. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            409: components["responses"]["VariableTargetLockedOrVariableReservedOrBranchLocalSnapshotMissing"];
            default: components["responses"]["WriteErrorWithBody"];
        };
    };
    list_scratchpad: {
        parameters: {
            query?: {
                /** @description Only of this type. */
                type?: "RULE" | "ToolCallResult" | "ToolCallArgs" | "MessageCache" | "LLMAdd" | "USER_ADD";
                /** @description Only with exactly this tag. */
                tag?: string;
                /** @description Only with this in their name or description, in any case. */
                search?: string;
                /** @description Maximum number of rows. */
                limit?: components["parameters"]["Limit"];
                /** @description Rows to skip. */
                offset?: components["parameters"]["Offset"];
                /** @description `false` leaves `meta.total` out and saves the counting. */
                total?: components["parameters"]["Total"];
                /** @description The column to sort by. */
                sort_by?: "last_visited_at";
                /** @description In which direction. */
                sort_order?: components["parameters"]["SortOrderDesc"];
            };
            header?: never;
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScratchVariableList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["SessionNotFound"];
            default: components["responses"]["ReadError"];
        };
    };
    cache_message: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewMessageCache"];
            };
        };
        responses: {
            /** @description The variable. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScratchVariableData"];
                };
            };
            400: components["responses"]["InvalidBody"];
            404: components["responses"]["SessionNotFoundOrPageNotFound"];
            409: components["responses"]["InvalidState"];
            default: components["responses"]["WriteErrorWithBody"];
        };
    };
    get_scratchpad_variable: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The session. */
                id: string;
                /** @description The name: free text, percent-encoded. */
                name: components["parameters"]["Name"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The variable. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScratchVariableData"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["SessionNotFoundOrScratchpadVariableNotFound"];
            default: components["responses"]["ReadError"];
        };
    };
    put_scratchpad_variable: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The session. */
                id: string;
                /** @description The name: free text, percent-encoded. */
                name: components["parameters"]["Name"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ScratchWrite"];
            };
        };
        responses: {
            /** @description The variable. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScratchVariableData"];
                };
            };
            /** @description The variable, which is new. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScratchVariableData"];
                };
            };
            400: components["responses"]["InvalidBody"];
            404: components["responses"]["SessionNotFoundOrScratchpadVariableNotFound"];
            409: components["responses"]["RuleProtectedOrInvalidState"];
            default: components["responses"]["WriteErrorWithBody"];
        };
    };
    delete_scratchpad_variable: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The session. */
                id: string;
                /** @description The name: free text, percent-encoded. */
                name: components["parameters"]["Name"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemovedVariableData"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["SessionNotFoundOrScratchpadVariableNotFound"];
            409: components["responses"]["RuleProtected"];
            default: components["responses"]["WriteError"];
        };
    };
    list_snapshots: {
        parameters: {
            query?: {
                /** @description Maximum number of rows. */
                limit?: components["parameters"]["Limit"];
                /** @description Rows to skip. */
                offset?: components["parameters"]["Offset"];
                /** @description `false` leaves `meta.total` out and saves the counting. */
                total?: components["parameters"]["Total"];
                /** @description Only those whose page stands on this branch. */
                branch_id?: string;
                /** @description The column to sort by. */
                sort_by?: "created_at" | "floor_no";
                /** @description In which direction. */
                sort_order?: components["parameters"]["SortOrderDesc"];
            };
            header?: never;
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SnapshotEntryList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["SessionNotFoundOrBranchNotFound"];
            default: components["responses"]["ReadError"];
        };
    };
    get_session_state: {
        parameters: {
            query?: {
                /** @description The branch; default `main`. */
                branch_id?: string;
                /** @description The position on the branch; default its end. */
                floor_no?: number;
            };
            header?: never;
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The state. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StateData"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["SessionNotFoundOrBranchNotFoundOrFloorNotFound"];
            default: components["responses"]["ReadError"];
        };
    };
    sync_session: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SyncRequest"];
            };
        };
        responses: {
            /** @description The result, or the missing texts. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SyncReportData"];
                };
            };
            400: components["responses"]["InvalidBody"];
            404: components["responses"]["SessionNotFoundOrBranchNotFound"];
            /** @description 409 `parent_moved`, `sync_conflict`, `sync_deletes`, `chat_moved`, `position_taken`. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            413: components["responses"]["PayloadTooLargeOrSyncTooLarge"];
            default: components["responses"]["WriteErrorWithBody"];
        };
    };
    get_session_template: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The template. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionTemplateData"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["SessionNotFound"];
            default: components["responses"]["ReadError"];
        };
    };
    put_session_template: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewTemplate"];
            };
        };
        responses: {
            /** @description The template after the change. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionTemplateData"];
                };
            };
            400: components["responses"]["InvalidBody"];
            404: components["responses"]["SessionNotFound"];
            default: components["responses"]["WriteErrorWithBody"];
        };
    };
    list_tool_definitions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The definitions. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolDefinitionAll"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["SessionNotFound"];
            default: components["responses"]["ReadError"];
        };
    };
    list_tool_groups: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The groups. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolGroupAll"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["SessionNotFound"];
            default: components["responses"]["ReadError"];
        };
    };
    register_tool_group: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewToolGroup"];
            };
        };
        responses: {
            /** @description The group. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolGroupData"];
                };
            };
            400: components["responses"]["InvalidBody"];
            404: components["responses"]["SessionNotFound"];
            409: components["responses"]["InvalidState"];
            429: components["responses"]["QuotaExceeded"];
            default: components["responses"]["WriteErrorWithBody"];
        };
    };
    update_tool_group: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The session. */
                id: string;
                /** @description The name: free text, percent-encoded. */
                name: components["parameters"]["Name"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ToolGroupPatch"];
            };
        };
        responses: {
            /** @description The group. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolGroupData"];
                };
            };
            400: components["responses"]["InvalidBody"];
            404: components["responses"]["SessionNotFoundOrToolGroupNotFound"];
            default: components["responses"]["WriteErrorWithBody"];
        };
    };
    get_tool_rules: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The text. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Text"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["SessionNotFound"];
            default: components["responses"]["ReadError"];
        };
    };
    update_tool: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The session. */
                id: string;
                /** @description The name: free text, percent-encoded. */
                name: components["parameters"]["Name"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ToolPatch"];
            };
        };
        responses: {
            /** @description The tool. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GroupToolData"];
                };
            };
            400: components["responses"]["InvalidBody"];
            404: components["responses"]["SessionNotFoundOrToolNotFound"];
            default: components["responses"]["WriteErrorWithBody"];
        };
    };
    get_transcript: {
        parameters: {
            query?: {
                /** @description The first position; positions below it are left out. */
                from?: number;
                /** @description Maximum number of floors. Fewer come where their texts are long; `meta.next_from` says where to go on. */
                limit?: number;
                /** @description Only the last so many floors; together with the other bounds. */
                last?: components["parameters"]["Last"];
                /** @description The branch; default `main`. Floors before the place where it was forked belong to it. */
                branch_id?: string;
                /** @description `false` leaves the texts out. */
                content?: components["parameters"]["Content"];
                /** @description Whether to list all pages of a floor. */
                swipes?: components["parameters"]["Swipes"];
                /** @description Whether to include what a floor changed in the state. */
                changes?: components["parameters"]["Changes"];
            };
            header?: never;
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The floors. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Transcript"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["SessionNotFoundOrBranchNotFound"];
            default: components["responses"]["ReadError"];
        };
    };
    create_turn: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewTurn"];
            };
        };
        responses: {
            /** @description The turn, which was stored before under this `page_id`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TurnData"];
                };
            };
            /** @description The turn. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TurnData"];
                };
            };
            400: components["responses"]["InvalidBody"];
            404: components["responses"]["SessionNotFoundOrBranchNotFoundOrFloorNotFound"];
            /** @description 409 `parent_moved`, `branch_busy`, `invalid_state`, `id_taken`, `position_taken`. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            429: components["responses"]["QuotaExceeded"];
            default: components["responses"]["WriteErrorWithBody"];
        };
    };
    sign_in: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignIn"];
            };
        };
        responses: {
            /** @description The browser; the cookie is set. */
            200: {
                headers: {
                    /** @description The cookie. */
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BrowserData"];
                };
            };
            400: components["responses"]["InvalidBody"];
            403: components["responses"]["AuthInvalidCredentialsOrHostNotAllowedOrOriginNotAllowed"];
            default: components["responses"]["PublicErrorWithBody"];
        };
    };
    sign_out: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is signed out and the cookie is removed. */
            200: {
                headers: {
                    /** @description Removes the cookie. */
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedData"];
                };
            };
            default: components["responses"]["ReadError"];
        };
    };
    delete_snapshots_by_chat: {
        parameters: {
            query?: {
                /** @description Whether it does not go to the trash; default false. */
                permanent?: components["parameters"]["Permanent"];
            };
            header?: {
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChatOfSnapshots"];
            };
        };
        responses: {
            /** @description What was dropped. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CleanupReportData"];
                };
            };
            400: components["responses"]["InvalidBody"];
            default: components["responses"]["WriteErrorWithBody"];
        };
    };
    clean_up_snapshots: {
        parameters: {
            query?: {
                /** @description Whether it does not go to the trash; default false. */
                permanent?: components["parameters"]["Permanent"];
            };
            header?: {
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CleanupRequest"];
            };
        };
        responses: {
            /** @description What was dropped. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CleanupReportData"];
                };
            };
            400: components["responses"]["InvalidBody"];
            default: components["responses"]["WriteErrorWithBody"];
        };
    };
    get_snapshot: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The snapshot. */
            200: {
                headers: {
                    /** @description For `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SnapshotData"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["SnapshotNotFound"];
            default: components["responses"]["ReadError"];
        };
    };
    put_snapshot: {
        parameters: {
            query?: {
                /** @description A branch that shares it: that gets a copy of its own, and only the copy changes; default the branch it stands on. */
                branch_id?: components["parameters"]["BranchId"];
            };
            header?: {
                /** @description The `ETag` that the snapshot must still have. */
                "If-Match"?: string;
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EditedSnapshot"];
            };
        };
        responses: {
            /** @description The snapshot after the change. */
            200: {
                headers: {
                    /** @description For `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SnapshotData"];
                };
            };
            400: components["responses"]["InvalidBody"];
            404: components["responses"]["SnapshotNotFound"];
            409: components["responses"]["ParentMoved"];
            412: components["responses"]["PreconditionFailed"];
            429: components["responses"]["QuotaExceeded"];
            default: components["responses"]["WriteErrorWithBody"];
        };
    };
    delete_snapshot: {
        parameters: {
            query?: {
                /** @description A branch that shares it: that gets a copy of its own, and only the copy changes; default the branch it stands on. */
                branch_id?: components["parameters"]["BranchId"];
                /** @description Whether it does not go to the trash; default false. */
                permanent?: components["parameters"]["Permanent"];
            };
            header?: {
                /** @description The `ETag` that the snapshot must still have. */
                "If-Match"?: string;
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It was deleted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedData"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["BranchNotFoundOrPageNotFoundOrSnapshotNotFound"];
            412: components["responses"]["PreconditionFailed"];
            default: components["responses"]["WriteError"];
        };
    };
    patch_snapshot: {
        parameters: {
            query?: {
                /** @description A branch that shares it: that gets a copy of its own, and only the copy changes; default the branch it stands on. */
                branch_id?: components["parameters"]["BranchId"];
            };
            header?: {
                /** @description The `ETag` that the snapshot must still have. */
                "If-Match"?: string;
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StateEdit"];
                "application/json-patch+json": components["schemas"]["StatePatch"];
                "application/merge-patch+json": components["schemas"]["StatePatch"];
            };
        };
        responses: {
            /** @description The snapshot after the change. */
            200: {
                headers: {
                    /** @description For `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SnapshotData"];
                };
            };
            400: components["responses"]["InvalidBody"];
            404: components["responses"]["SnapshotNotFound"];
            409: components["responses"]["ParentMoved"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["PatchFailedOrIdempotencyKeyReused"];
            429: components["responses"]["QuotaExceeded"];
            default: components["responses"]["WriteErrorWithBody"];
        };
    };
    diff_snapshots: {
        parameters: {
            query: {
                /** @description The other snapshot. */
                to: string;
            };
            header?: never;
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What leads from this snapshot to the other. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SnapshotDiffData"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["SnapshotNotFound"];
            default: components["responses"]["ReadError"];
        };
    };
    get_tool_defaults: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The defaults. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolDefaultsData"];
                };
            };
            default: components["responses"]["ReadError"];
        };
    };
    put_tool_defaults: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ToolDefaults"];
            };
        };
        responses: {
            /** @description The defaults. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolDefaultsData"];
                };
            };
            400: components["responses"]["InvalidBody"];
            404: components["responses"]["AccountNotFound"];
            default: components["responses"]["WriteErrorWithBody"];
        };
    };
    list_trash: {
        parameters: {
            query?: {
                /** @description Of this session. */
                session_id?: string;
                /** @description Maximum number of rows. */
                limit?: components["parameters"]["Limit"];
                /** @description Rows to skip. */
                offset?: components["parameters"]["Offset"];
                /** @description `false` leaves `meta.total` out and saves the counting. */
                total?: components["parameters"]["Total"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrashItemList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["SessionNotFound"];
            default: components["responses"]["ReadError"];
        };
    };
    get_trash: {
        parameters: {
            query?: {
                /** @description Maximum number of pages. There are fewer if their texts are long. */
                limit?: number;
                /** @description Pages to skip. */
                offset?: number;
            };
            header?: never;
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The item. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrashItemData"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["TrashNotFound"];
            default: components["responses"]["ReadError"];
        };
    };
    purge_trash: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone for good. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedData"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["TrashNotFound"];
            default: components["responses"]["WriteError"];
        };
    };
    restore_trash: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RestoreTrash"] | null;
            };
        };
        responses: {
            /** @description Where it is now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RestoredData"];
                };
            };
            400: components["responses"]["InvalidBody"];
            404: components["responses"]["TrashNotFound"];
            /** @description 409 `nothing_to_restore`, `fork_too_deep`, `invalid_state`, `id_taken`. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            default: components["responses"]["WriteErrorWithBody"];
        };
    };
    get_trash_state: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The item. */
                id: string;
                /** @description The snapshot. */
                snapshot_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The state. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TrashStateData"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["SnapshotNotFoundOrTrashNotFound"];
            default: components["responses"]["ReadError"];
        };
    };
    list_variables: {
        parameters: {
            query?: {
                /** @description Only this scope. */
                scope?: "global" | "chat" | "branch" | "floor" | "page";
                /** @description Only this host. With `scope=branch` it has the form `branch:<session>:<branch>`. */
                scope_id?: string;
                /** @description With `scope=branch`: only branches of this session. With any other scope it is refused. */
                session_id?: string;
                /** @description With `scope=branch` and `session_id`: only this branch. */
                branch_id?: string;
                /** @description Only this key. */
                key?: string;
                /** @description Only what was written at this time or later. */
                updated_since?: number;
                /** @description The column to sort by. */
                sort_by?: "updated_at" | "key";
                /** @description In which direction. */
                sort_order?: components["parameters"]["SortOrderDesc"];
                /** @description Only these keys. Repeat the parameter, once per key (`keys=gold&keys=mood`): a comma is an ordinary character. */
                keys?: components["parameters"]["Keys"];
                /** @description Only keys that start with this text. */
                prefix?: components["parameters"]["Prefix"];
                /** @description Maximum number of rows. */
                limit?: components["parameters"]["Limit"];
                /** @description Rows to skip. */
                offset?: components["parameters"]["Offset"];
                /** @description `false` leaves `meta.total` out and saves the counting. */
                total?: components["parameters"]["Total"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VariableList"];
                };
            };
            400: components["responses"]["ValidationErrorOrMalformedRequestOrInvalidVariableContext"];
            default: components["responses"]["ReadError"];
        };
    };
    put_variable: {
        parameters: {
            query?: never;
            header?: {
                /** @description `*`: only if the variable exists. An `ETag`: only if it has not changed since. Otherwise `412`. */
                "If-Match"?: "*" | string;
                /** @description `*`: only if the variable does not exist. Otherwise `412`. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["VariableWrite"];
            };
        };
        responses: {
            /** @description The variable was there and has the new value. */
            200: {
                headers: {
                    /** @description For `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VariableData"];
                };
            };
            /** @description The variable is new. */
            201: {
                headers: {
                    /** @description For `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VariableData"];
                };
            };
            400: components["responses"]["InvalidBody"];
            404: components["responses"]["VariableHostNotFound"];
            409: components["responses"]["VariableTargetLockedOrVariableReserved"];
            412: components["responses"]["PreconditionFailed"];
            429: components["responses"]["QuotaExceeded"];
            default: components["responses"]["WriteErrorWithBody"];
        };
    };
    delete_variable_by_target: {
        parameters: {
            query: {
                /** @description The kind of host. */
                scope: "global" | "chat" | "branch" | "floor" | "page";
                /** @description The host; needed unless `scope=branch` comes with `session_id` and `branch_id`. */
                scope_id?: string;
                /** @description The session of a branch. */
                session_id?: string;
                /** @description The branch. */
                branch_id?: string;
                /** @description The key. */
                key: string;
            };
            header?: {
                /** @description `*`: only if the variable exists. An `ETag`: only if it has not changed since. Otherwise `412`. */
                "If-Match"?: "*" | string;
                /** @description `*`: only if the variable does not exist. Otherwise `412`. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It was deleted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedData"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["VariableHostNotFoundOrVariableNotFound"];
            409: components["responses"]["VariableTargetLocked"];
            412: components["responses"]["PreconditionFailed"];
            default: components["responses"]["WriteError"];
        };
    };
    put_variables: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["VariableBatch"];
            };
        };
        responses: {
            /** @description What was written. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VariableBatchDoneData"];
                };
            };
            /** @description 400 `validation_error`, `malformed_request`, `malformed_json`, `duplicate_variable_target`. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorBody"];
                };
            };
            404: components["responses"]["VariableHostNotFound"];
            409: components["responses"]["VariableTargetLockedOrVariableReserved"];
            429: components["responses"]["QuotaExceeded"];
            default: components["responses"]["WriteErrorWithBody"];
        };
    };
    delete_variables: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["VariableDeletion"];
            };
        };
        responses: {
            /** @description What was deleted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VariablesDeletedData"];
                };
            };
            400: components["responses"]["InvalidBody"];
            404: components["responses"]["VariableHostNotFound"];
            409: components["responses"]["VariableTargetLocked"];
            default: components["responses"]["WriteErrorWithBody"];
        };
    };
    increment_variable: {
        parameters: {
            query?: never;
            header?: {
                /** @description `*`: only if the variable exists. An `ETag`: only if it has not changed since. Otherwise `412`. */
                "If-Match"?: "*" | string;
                /** @description `*`: only if the variable does not exist. Otherwise `412`. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Increment"];
            };
        };
        responses: {
            /** @description The variable was there and has the sum. */
            200: {
                headers: {
                    /** @description For `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VariableData"];
                };
            };
            /** @description The variable is new. */
            201: {
                headers: {
                    /** @description For `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VariableData"];
                };
            };
            400: components["responses"]["InvalidBody"];
            404: components["responses"]["VariableHostNotFound"];
            409: components["responses"]["VariableTargetLockedOrVariableNotANumberOrVariableReserved"];
            412: components["responses"]["PreconditionFailed"];
            429: components["responses"]["QuotaExceeded"];
            default: components["responses"]["WriteErrorWithBody"];
        };
    };
    resolve_variables: {
        parameters: {
            query: {
                /** @description The session. */
                session_id: components["parameters"]["SessionId"];
                /** @description A branch; must agree with floor and page. */
                branch_id?: string;
                /** @description A floor; brings its branch along. */
                floor_id?: string;
                /** @description A page; brings its floor and branch along. */
                page_id?: string;
                /** @description Whether to add the raw rows of each layer. */
                include_layers?: boolean;
                /** @description Whether a floor also sees the nearest values of the floors before it. */
                lineage?: boolean;
                /** @description Only these keys. Repeat the parameter, once per key (`keys=gold&keys=mood`): a comma is an ordinary character. */
                keys?: components["parameters"]["Keys"];
                /** @description Only keys that start with this text. */
                prefix?: components["parameters"]["Prefix"];
            };
            header?: {
                /** @description The `ETag` of an earlier answer; `304` if it still holds. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What is visible. */
            200: {
                headers: {
                    /** @description Changes whenever the answer may have changed. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResolvedData"];
                };
            };
            /** @description Nothing has changed. */
            304: {
                headers: {
                    /** @description The tag that still holds. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["ValidationErrorOrMalformedRequestOrInvalidVariableContext"];
            404: components["responses"]["VariableHostNotFound"];
            default: components["responses"]["ReadError"];
        };
    };
    get_variable: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The variable. */
            200: {
                headers: {
                    /** @description For `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VariableData"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["VariableNotFound"];
            default: components["responses"]["ReadError"];
        };
    };
    delete_variable: {
        parameters: {
            query?: never;
            header?: {
                /** @description `*`: only if the variable exists. An `ETag`: only if it has not changed since. Otherwise `412`. */
                "If-Match"?: "*" | string;
                /** @description `*`: only if the variable does not exist. Otherwise `412`. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It was deleted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedData"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["VariableNotFound"];
            409: components["responses"]["VariableTargetLocked"];
            412: components["responses"]["PreconditionFailed"];
            default: components["responses"]["WriteError"];
        };
    };
    patch_variable: {
        parameters: {
            query?: never;
            header?: {
                /** @description `*`: only if the variable exists. An `ETag`: only if it has not changed since. Otherwise `412`. */
                "If-Match"?: "*" | string;
                /** @description `*`: only if the variable does not exist. Otherwise `412`. */
                "If-None-Match"?: components["parameters"]["IfNoneMatch"];
                /** @description Any name for this request, fresh for each one. When the request is sent again within 24 hours with the same key, it is not performed again: the first answer is returned, with `Idempotency-Replayed: true`. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["VariablePatch"];
            };
        };
        responses: {
            /** @description The variable with its new value. */
            200: {
                headers: {
                    /** @description For `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VariableData"];
                };
            };
            400: components["responses"]["InvalidBody"];
            404: components["responses"]["VariableNotFound"];
            409: components["responses"]["VariableTargetLockedOrVariableReserved"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["PatchFailedOrIdempotencyKeyReused"];
            default: components["responses"]["WriteErrorWithBody"];
        };
    };
    variable_history: {
        parameters: {
            query?: {
                /** @description Maximum number of rows. */
                limit?: components["parameters"]["Limit"];
                /** @description Rows to skip. */
                offset?: components["parameters"]["Offset"];
                /** @description `false` leaves `meta.total` out and saves the counting. */
                total?: components["parameters"]["Total"];
            };
            header?: never;
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The list. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HistoryEntryList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["VariableNotFound"];
            default: components["responses"]["ReadError"];
        };
    };
    get_write: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id. */
                id: components["parameters"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What is known of it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PendingWriteData"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            404: components["responses"]["WriteNotFound"];
            default: components["responses"]["ReadError"];
        };
    };
}
