import type { ComponentType } from 'preact';

/** A part of the console, with an address of its own. */
export type Room = {
  /** The first part of the address; empty for the room that the console opens with. */
  readonly path: string;
  /** Its name in the navigation and in the title of the tab. */
  readonly name: string;
  /** `rest`: what follows in the address. */
  readonly View: ComponentType<{ readonly rest: readonly string[] }>;
};
