// Keyboard shortcuts. Keys that a control needs for itself are left to it: typing in a field never changes a tool.

export type Keymap = Record<string, () => void>;

const OWN_KEYS = new Set(["INPUT", "SELECT", "TEXTAREA"]);

export function listenToKeys(keymap: Keymap, canvas: HTMLCanvasElement, canvasKeys: Keymap): void {
  window.addEventListener("keydown", (event) => {
    if (document.querySelector("dialog[open]")) return;
    const target = event.target as HTMLElement;
    const undo = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z";
    if ((event.ctrlKey || event.metaKey || event.altKey) && !undo) return;
    if (OWN_KEYS.has(target.tagName) && !undo) return;
    if ((event.key === " " || event.key === "Enter") && target.closest("button, summary, a")) return;
    const key = undo ? "undo" : event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const action = keymap[key] ?? (document.activeElement === canvas ? canvasKeys[key] : undefined);
    if (!action) return;
    event.preventDefault();
    action();
  });
}
