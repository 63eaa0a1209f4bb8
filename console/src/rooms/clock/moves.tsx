import type { JSX } from 'preact';
import { Code } from '../../parts/code.tsx';
import { fill } from '../../parts/fill.ts';
import { testIds } from '../../test-ids.ts';
import { words } from '../../words/index.ts';
import { TextForm } from './text-form.tsx';

/** The member of the body, which names the move. */
export type Kind = 'advance' | 'freeze' | 'skew' | 'reset';
export type Move = (kind: Kind, value: string | true, said: string) => Promise<void>;

type Properties = {
  readonly isMovable: boolean;
  readonly isBusy: boolean;
  /** The kind of the last move, if what was written for it was refused. */
  readonly wrong: Kind | null;
  readonly keepsMs: number | null;
  readonly move: Move;
};

const STEPS = [
  ['minute', '1m', 60_000],
  ['five', '5m', 300_000],
  ['hour', '1h', 3_600_000],
  ['day', '1d', 86_400_000],
] as const;

/** All that can be done with the clock. */
export function Moves(properties: Properties): JSX.Element {
  const { isMovable, isBusy, move } = properties;
  const { reset } = words.clock;
  return (
    <fieldset class="moves" disabled={!isMovable || isBusy}>
      <legend class="unseen">{words.clock.title}</legend>
      <Advance {...properties} />
      <Freeze {...properties} />
      <Skew {...properties} />
      <div class="actions">
        <button
          class="secondary"
          type="button"
          data-testid={testIds.clockReset}
          onClick={() => void move('reset', true, reset.said)}
        >
          {reset.label}
        </button>
      </div>
    </fieldset>
  );
}

function Advance({ move, wrong, keepsMs }: Properties): JSX.Element {
  const { advance } = words.clock;
  const by = (time: string) =>
    move('advance', time, advance.said.replace('{time}', `\u2066${time}\u2069`));
  return (
    <section class="panel">
      <h2>{advance.title}</h2>
      <div class="actions">
        {STEPS.map(([name, time, milliseconds]) => (
          <button
            key={name}
            class="secondary"
            type="button"
            data-testid={testIds.advance(time)}
            onClick={() => void by(time)}
          >
            {advance[name]}
            {keepsMs !== null && milliseconds >= keepsMs ? (
              <span class="hint"> ({words.clock.keeps.mark})</span>
            ) : null}
          </button>
        ))}
      </div>
      <TextForm
        label={advance.field}
        hint={fill(advance.hint, { units: <Code text="500ms 90s 5m 2h 1d" /> })}
        fault={
          wrong === 'advance'
            ? fill(advance.fault, { seconds: <Code text="90s" />, minutes: <Code text="5m" /> })
            : null
        }
        send={advance.send}
        testId={testIds.advanceBy}
        onSend={by}
      />
    </section>
  );
}

function Freeze({ move, wrong }: Properties): JSX.Element {
  const { freeze } = words.clock;
  const form = { form: <Code text="2026-01-31T09:05:00Z" /> };
  const at = (time: string) => move('freeze', time, freeze.said);
  return (
    <section class="panel">
      <h2>{freeze.title}</h2>
      <div class="actions">
        <button
          class="secondary"
          type="button"
          data-testid={testIds.freezeNow}
          onClick={() => void at('now')}
        >
          {freeze.now}
        </button>
      </div>
      <TextForm
        label={freeze.field}
        hint={fill(freeze.hint, form)}
        fault={wrong === 'freeze' ? fill(freeze.fault, form) : null}
        send={freeze.send}
        testId={testIds.freezeAt}
        onSend={at}
      />
    </section>
  );
}

function Skew({ move, wrong }: Properties): JSX.Element {
  const { skewing } = words.clock;
  const examples = {
    forward: <Code text="2m" />,
    behind: <Code text="-2m" />,
    none: <Code text="0s" />,
  };
  return (
    <section class="panel">
      <h2>{skewing.title}</h2>
      <p>{skewing.text}</p>
      <TextForm
        label={skewing.field}
        hint={fill(skewing.hint, examples)}
        fault={wrong === 'skew' ? fill(skewing.fault, examples) : null}
        send={skewing.send}
        testId={testIds.skewBy}
        onSend={(skew) => move('skew', skew, skewing.said)}
      />
    </section>
  );
}
