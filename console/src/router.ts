import { plainId } from '@miftah/contract/uuid';
import { computed, signal } from '@preact/signals';

const hash = signal(location.hash);
let isMoved = false;
addEventListener('hashchange', () => {
  isMoved = true;
  hash.value = location.hash;
});

/** Whether another address of the page was opened than the one it was loaded with. */
export const hasNavigated = (): boolean => isMoved;

/** The parts of the address behind `#/`, read: `#/attempts/ID` is `['attempts', 'id']`. */
export const route = computed<readonly string[]>(() =>
  hash.value
    .replace(/^#?\/?/, '')
    .split('/')
    .filter((part) => part !== '')
    .map(decoded),
);

function decoded(part: string): string {
  try {
    return plainId(decodeURIComponent(part));
  } catch {
    return part;
  }
}

/** The address of a room, or of something in it. */
export function linkTo(...parts: readonly string[]): string {
  return `#/${parts.map(encodeURIComponent).join('/')}`;
}
