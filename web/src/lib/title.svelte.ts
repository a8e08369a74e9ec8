// The title of the browser's tab: what is open, then the name of the program.

class TabTitle {
  /** What the page shows inside of its entry of the rail: a session, a character. */
  detail = $state("");
}

export const tabTitle = new TabTitle();
