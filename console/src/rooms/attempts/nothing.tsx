import type { JSX } from 'preact';
import { attempts } from '../../state/attempts.ts';
import { words } from '../../words/index.ts';

/** No attempt is as the filter wants it. */
export function Nothing({ onClear }: { readonly onClear: () => void }): JSX.Element | null {
  const { nothing } = words.list;
  if (attempts.older.value === 'loading') return null;
  return (
    <div class="nothing">
      <p>{nothing.text}</p>
      <button class="secondary" type="button" onClick={onClear}>
        {nothing.clear}
      </button>
    </div>
  );
}
