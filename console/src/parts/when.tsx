import type { JSX } from 'preact';
import { today } from '../platform/clock.ts';

/** A time in the reader's zone, with its date where that is not today. */
export function When({ time }: { readonly time: string }): JSX.Element {
  const at = new Date(time);
  const isToday = at.toDateString() === today();
  return (
    <time class="number" dir="ltr" dateTime={time} title={time}>
      {isToday ? null : <span class="when-date">{at.toLocaleDateString('en-CA')} </span>}
      {at.toLocaleTimeString('en-GB')}
    </time>
  );
}
