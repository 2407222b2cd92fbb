// Keyboard shortcuts. Keys that a control needs for itself are left to it: typing in a field never changes a tool.

export type Keymap = Record<string, () => void>;

// A selector takes letters, a checkbox and a button the space bar; a slider needs none of the keys that mean something here.
function isTakenBy(target: HTMLElement, key: string): boolean {
  if (target.tagName === "SELECT") return true;
  if (target.tagName === "INPUT" && (target as HTMLInputElement).type !== "range") return key === " ";
  return (key === " " || key === "Enter") && target.closest("button, summary, a") !== null;
}

// A frame around the picture is for those who came by keyboard, not for those who press a key with a hand on the mouse.
function frameWhenTabbed(canvas: HTMLCanvasElement): void {
  canvas.addEventListener("keyup", (event) => canvas.classList.toggle("tabbed", event.key === "Tab" || canvas.classList.contains("tabbed")));
  canvas.addEventListener("pointerdown", () => canvas.classList.remove("tabbed"));
  canvas.addEventListener("blur", () => canvas.classList.remove("tabbed"));
}

export function listenToKeys(keymap: Keymap, canvas: HTMLCanvasElement, canvasKeys: Keymap): void {
  frameWhenTabbed(canvas);
  window.addEventListener("keydown", (event) => {
    if (document.querySelector("dialog[open]")) return;
    const target = event.target as HTMLElement;
    const undo = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z";
    if ((event.ctrlKey || event.metaKey || event.altKey) && !undo) return;
    if (isTakenBy(target, event.key) && !undo) return;
    const key = undo ? "undo" : event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const action = keymap[key] ?? (document.activeElement === canvas ? canvasKeys[key] : undefined);
    if (!action) return;
    event.preventDefault();
    action();
  });
}
