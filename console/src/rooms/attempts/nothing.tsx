import type { JSX } from 'preact';
import { fill } from '../../parts/fill.ts';
import { attempts } from '../../state/attempts.ts';
import { words } from '../../words/index.ts';

interface Props {
  /** What was searched for; an empty text where only a state or a way of signing in was chosen. */
  readonly text: string;
  readonly onClear: () => void;
}

/** No attempt is as the filter wants it. */
export function Nothing({ text, onClear }: Props): JSX.Element | null {
  const { nothing } = words.list;
  if (attempts.older.value === 'loading') return null;
  return (
    <div class="nothing">
      <p>{text === '' ? nothing.chosen : fill(nothing.text, { text: <bdi>{text}</bdi> })}</p>
      <button class="secondary" type="button" onClick={onClear}>
        {nothing.clear}
      </button>
    </div>
  );
}
