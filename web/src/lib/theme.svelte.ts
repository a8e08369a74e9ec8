// Light, dark, or as the system says.

export type ThemeName = "system" | "light" | "dark";

const STORED = "tavernkeep.theme";

class Theme {
  name = $state<ThemeName>((localStorage.getItem(STORED) as ThemeName | null) ?? "system");

  set(name: ThemeName): void {
    this.name = name;
    localStorage.setItem(STORED, name);
    this.apply();
  }

  apply(): void {
    if (this.name === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = this.name;
  }

  get isDark(): boolean {
    return this.name === "dark" || (this.name === "system" && matchMedia("(prefers-color-scheme: dark)").matches);
  }
}

export const theme = new Theme();
