import type { ComponentChildren, JSX } from 'preact';
import { fill } from '../../parts/fill.ts';
import { attempts } from '../../state/attempts.ts';
import { words } from '../../words/index.ts';

interface Props {
  /** What was searched for; an empty text where only a state or a way of signing in was chosen. */
  readonly text: string;
  /** How many are as the rest of the filter wants it, in other states than the chosen one. */
  readonly elsewhere: number;
  readonly onClear: () => void;
}

/** No attempt is as the filter wants it. */
export function Nothing({ text, elsewhere, onClear }: Props): JSX.Element | null {
  const { nothing } = words.attempts;
  if (attempts.older.value === 'loading') return null;
  return (
    <div class="nothing">
      <p>{sentence(text, elsewhere)}</p>
      <button class="secondary" type="button" onClick={onClear}>
        {nothing.clear}
      </button>
    </div>
  );
}

function sentence(text: string, elsewhere: number): ComponentChildren {
  const { nothing } = words.attempts;
  if (elsewhere > 0) {
    return fill(nothing.elsewhere, { count: <span class="number">{elsewhere}</span> });
  }
  return text === '' ? nothing.chosen : fill(nothing.text, { text: <bdi>{text}</bdi> });
}
