// The profiles that come with the program, as a choice of sessions and characters.

export const PROFILES = ["default", "strict", "mvu", "mvu_zod", "memory"] as const;
export type ProfileName = (typeof PROFILES)[number];

/** What a select shows for a stored profile: its name, `own` for one that was written out, nothing for none. */
export function profileChoice(profile: unknown): string {
  return typeof profile === "string" ? profile : profile === null || profile === undefined ? "" : "own";
}

/** The field for a request; a profile of its own stays as it is. */
export function profileField(choice: string): { profile?: ProfileName | null } {
  return choice === "own" ? {} : { profile: choice === "" ? null : (choice as ProfileName) };
}
