// Making elements in one expression.

type Child = Node | string | null | undefined;
type Attributes = Record<string, string | number | boolean | null | ((event: Event) => void)>;

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null) element.setAttribute(name, String(value));
  }
  element.append(...children.filter((child): child is Node | string => child !== null && child !== undefined));
  return element;
}

const ICONS: Record<string, string> = {
  look: "M3 12s3.5-6 9-6 9 6 9 6-3.5 6-9 6-9-6-9-6Z M12 14.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5Z",
  grab: "M8 12V6.5a1.5 1.5 0 0 1 3 0V11 M11 11V5a1.5 1.5 0 0 1 3 0v6 M14 11V6.5a1.5 1.5 0 0 1 3 0V14c0 4-2 6.5-5.5 6.5S6.500 18.500 5 15.500L3.800 13a1.400 1.400 0 0 1 2.400-1.400L8 14",
  knife: "M4 20 14.500 9.500 M12 12l2.500-2.500L20 4c.8 4-1 7.500-4 9.500L14 15Z",
  pierce: "M20 4 9 15 M17 3l4 4 M9 15l-5 5 M11 10l3 3",
  remove: "M12 3 20 7.500v9L12 21l-8-4.500v-9Z M9 9.500l6 6 M15 9.500l-6 6",
  refine: "M3 20 12 4l9 16Z M7.500 12h9L12 20Z",
  coarsen: "M3 20 12 4l9 16Z M12 12v5 M9.500 14.500h5",
  fix: "M12 14v7 M8 4h8 M9.500 4v5L7 14h10l-2.500-5V4",
  free: "M12 14v3 M8 4h8 M9.500 4v5L7 14h10l-2.500-5V4 M5 20h14",
  inspect: "M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14Z M16 16l5 5 M8.500 11h5 M11 8.500v5",
  play: "M7 4.500v15l12-7.500Z",
  pause: "M8 5v14 M16 5v14",
  step: "M6 5v14l9-7Z M18.500 5v14",
  reset: "M4 12a8 8 0 1 0 2.500-5.800 M4 4v4.500h4.500",
  undo: "M8 5 4 9l4 4 M4 9h10a5.500 5.500 0 0 1 0 11h-3",
  camera: "M4 8h3.500L9 5.500h6L16.500 8H20v11H4Z M12 16.500a3.300 3.300 0 1 0 0-6.600 3.300 3.300 0 0 0 0 6.600Z",
  film: "M4 6h11v12H4Z M15 10.500 20 7.500v9l-5-3",
  record: "M12 18a6 6 0 1 0 0-12 6 6 0 0 0 0 12Z",
  theme: "M12 20a8 8 0 1 0 0-16Z M12 4a8 8 0 0 0 0 16",
  help: "M9 9a3 3 0 1 1 4.500 2.600c-1 .6-1.500 1.200-1.500 2.400 M12 17.500v.5",
  panel: "M4 5h16v14H4Z M14 5v14",
  fit: "M4 9V4h5 M15 4h5v5 M20 15v5h-5 M9 20H4v-5",
};

export function icon(name: string): SVGSVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("class", "icon");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", ICONS[name]);
  svg.append(path);
  return svg;
}

export function button(name: string, label: string, press: () => void, text?: string): HTMLButtonElement {
  return h("button", { type: "button", title: label, "aria-label": label, onclick: press }, icon(name), text);
}

export function toggle(label: string, on: boolean, change: (on: boolean) => void): HTMLLabelElement {
  const box = h("input", { type: "checkbox", onchange: () => change(box.checked) });
  box.checked = on;
  return h("label", { class: "toggle" }, box, h("span", {}, label));
}

export function section(title: string, open: boolean, ...children: Child[]): HTMLDetailsElement {
  return h("details", { open, class: "section" }, h("summary", {}, h("h2", {}, title)), ...children);
}

// Numbers as an instrument shows them: three digits that count, and a power where there are too many.
export function number(x: number): string {
  if (!Number.isFinite(x)) return "–";
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size >= 1e5 || size < 1e-3) {
    const [digits, power] = x.toExponential(2).split("e");
    const raised = String(Number(power)).replace(/[-0-9]/g, (c) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(c)] ?? "⁻");
    return `${Number(digits)}·10${raised}`;
  }
  return String(Number(x.toPrecision(3)));
}
