/**
 * The styles of the element. Logical properties only, so that both directions share every rule.
 * Colours follow the `color-scheme` of the page.
 */
export const STYLE = `
:host {
  display: block;
}
:host([hidden]),
[hidden] {
  display: none !important;
}
.panel {
  --ink: var(--miftah-ink, #20223d);
  --soft: var(--miftah-ink-soft, #565a72);
  --sheet: var(--miftah-sheet, #fff);
  --line: var(--miftah-line, #ddd5c6);
  --accent: var(--miftah-accent, #33388a);
  --notice: var(--miftah-notice, #99650f);
  --corner: var(--miftah-corner, .75rem);
  --mark: var(--accent);
  padding: 1.25rem;
  border: 1px solid var(--line);
  border-radius: var(--corner);
  background: var(--sheet);
  color: var(--ink);
  line-height: 1.65;
  text-align: start;
  overflow-wrap: anywhere;
}
@supports (color: light-dark(#000, #fff)) {
  .panel {
    --ink: var(--miftah-ink, light-dark(#20223d, #efece4));
    --soft: var(--miftah-ink-soft, light-dark(#565a72, #b4b5cb));
    --sheet: var(--miftah-sheet, light-dark(#fff, #1d1f39));
    --line: var(--miftah-line, light-dark(#ddd5c6, #343759));
    --accent: var(--miftah-accent, light-dark(#33388a, #b9bdff));
    --notice: var(--miftah-notice, light-dark(#99650f, #eec26a));
  }
}
.rejected, .expired, .failed, .offline, .soon {
  --mark: var(--notice);
}
p {
  margin: 0;
}
.label, .hint, .left {
  color: var(--soft);
}
.number {
  margin-block-end: .5rem;
  font-size: var(--miftah-number-size, 2.75rem);
  font-weight: 600;
  line-height: 1.3;
  letter-spacing: .12em;
}
.digits, .time {
  font-variant-numeric: tabular-nums lining-nums;
  unicode-bidi: isolate;
}
.digits {
  display: inline-block;
  margin-inline-end: -.12em;
  -webkit-user-select: all;
  user-select: all;
}
.message {
  display: flex;
  gap: .75rem;
  align-items: start;
}
.icon {
  flex: none;
  inline-size: 1.5rem;
  block-size: 1.5rem;
  margin-block-start: .1rem;
  fill: none;
  stroke: var(--mark);
  stroke-width: 2;
  stroke-linecap: round;
}
.text {
  font-weight: 600;
}
.text, .hint {
  display: block;
}
.live:focus {
  outline: none;
}
.countdown {
  display: flex;
  justify-content: space-between;
  gap: 1rem;
  margin-block-start: 1rem;
}
.connecting .countdown, .connecting .bar {
  visibility: hidden;
}
.bar {
  block-size: .375rem;
  margin-block-start: .25rem;
  border-radius: 1rem;
  overflow: hidden;
  background: var(--line);
}
.rest {
  inline-size: calc(var(--rest, 1) * 100%);
  block-size: 100%;
  border-radius: inherit;
  background: var(--mark);
}
button {
  min-block-size: 3rem;
  margin-block-start: 1rem;
  padding: .5rem 1rem;
  border: 1px solid var(--accent);
  border-radius: var(--corner);
  background: none;
  color: var(--accent);
  font: inherit;
  font-weight: 600;
  cursor: pointer;
}
button:hover {
  box-shadow: inset 0 0 0 1px var(--accent);
}
:focus-visible {
  outline: 3px solid var(--accent);
  outline-offset: 3px;
}
@media (prefers-reduced-motion: no-preference) {
  .rest {
    transition: inline-size 1s linear;
  }
  .waiting .icon {
    animation: breathe 2s ease-in-out infinite alternate;
  }
  @keyframes breathe {
    to { opacity: .45; }
  }
}
@media (forced-colors: active) {
  .bar {
    border: 1px solid;
  }
  .rest {
    background: CanvasText;
    forced-color-adjust: none;
  }
}
`;

/** Of what is there for screen readers only. */
export const SPOKEN_STYLE = `
position: absolute;
inline-size: 1px;
block-size: 1px;
overflow: hidden;
clip-path: inset(50%);
white-space: nowrap;
`;
