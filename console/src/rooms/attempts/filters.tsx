import type { JSX } from 'preact';
import { named } from '../../parts/named.ts';
import { KNOWN_STATES, stateName } from '../../parts/state-badge.tsx';
import { testIds } from '../../test-ids.ts';
import { words } from '../../words/index.ts';
import type { Filter } from './filter.ts';

const FLOWS = ['oidc', 'mfa'];

type Properties = {
  readonly filter: Filter;
  /** How many of those that the search has found are in each state. */
  readonly counts: ReadonlyMap<string, number>;
  readonly total: number;
  readonly onChange: (filter: Filter) => void;
};

/** What the list shows: a search, a flow, and a state. */
export function Filters({ filter, counts, total, onChange }: Properties): JSX.Element {
  const { attempts } = words;
  const known: readonly string[] = KNOWN_STATES;
  const others = [...counts.keys()].filter((state) => !known.includes(state));
  return (
    <search class="filters">
      <input
        type="search"
        aria-label={attempts.search}
        placeholder={attempts.search}
        value={filter.text}
        autocomplete="off"
        data-testid={testIds.search}
        onInput={({ currentTarget }) => onChange({ ...filter, text: currentTarget.value })}
      />
      <select
        aria-label={attempts.flow}
        value={filter.flow}
        data-testid={testIds.flow}
        onChange={({ currentTarget }) => onChange({ ...filter, flow: currentTarget.value })}
      >
        <option value="">{attempts.everyFlow}</option>
        {FLOWS.map((flow) => (
          <option key={flow} value={flow}>
            {named(words.common.flows, flow)}
          </option>
        ))}
      </select>
      <div class="states" role="group" aria-label={attempts.state}>
        {['', ...known, ...others].map((state) => (
          <StateButton
            key={state}
            state={state}
            count={state === '' ? total : (counts.get(state) ?? 0)}
            isChosen={filter.state === state}
            onChoose={() => onChange({ ...filter, state })}
          />
        ))}
      </div>
    </search>
  );
}

type StateProperties = {
  readonly state: string;
  readonly count: number;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
};

/** States that no attempt is in are left out, unless one of them is chosen. */
function StateButton({ state, count, isChosen, onChoose }: StateProperties): JSX.Element | null {
  if (count === 0 && state !== '' && !isChosen) return null;
  return (
    <button
      type="button"
      class="chip"
      aria-pressed={isChosen}
      data-testid={testIds.state(state)}
      onClick={onChoose}
    >
      <bdi>{state === '' ? words.attempts.everyState : stateName(state)}</bdi>{' '}
      <span class="number">{count}</span>
    </button>
  );
}
