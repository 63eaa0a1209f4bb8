import type { MiftahEnd } from './element/follow-page.ts';
import { MiftahWait } from './element/miftah-wait.ts';
import type { WaitState } from './element/view.ts';

export { MiftahWait, type MiftahEnd, type WaitState };

declare global {
  interface HTMLElementTagNameMap {
    'miftah-wait': MiftahWait;
  }
  interface GlobalEventHandlersEventMap {
    'miftah-end': CustomEvent<MiftahEnd>;
    'miftah-expired': CustomEvent<null>;
  }
}

// A second copy of this module in a page leaves the first one alone.
if (!globalThis.customElements?.get('miftah-wait')) {
  globalThis.customElements?.define('miftah-wait', MiftahWait);
}
