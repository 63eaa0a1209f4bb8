import type { JSX } from 'preact';
import { Code } from '../../parts/code.tsx';
import { fill } from '../../parts/fill.ts';
import { testIds } from '../../test-ids.ts';
import { words } from '../../words/index.ts';
import { TextForm } from './text-form.tsx';

export type Move = (body: object, said: string) => Promise<void>;

type Properties = {
  readonly isMovable: boolean;
  readonly isBusy: boolean;
  readonly move: Move;
};

const STEPS = [
  ['minute', '1m'],
  ['five', '5m'],
  ['hour', '1h'],
  ['day', '1d'],
] as const;

/** All that can be done with the clock. */
export function Moves({ isMovable, isBusy, move }: Properties): JSX.Element {
  const { reset } = words.clock;
  return (
    <fieldset class="moves" disabled={!isMovable || isBusy}>
      <legend class="unseen">{words.clock.title}</legend>
      <Advance move={move} />
      <Freeze move={move} />
      <Skew move={move} />
      <div class="actions">
        <button
          class="secondary"
          type="button"
          data-testid={testIds.clockReset}
          onClick={() => void move({ reset: true }, reset.said)}
        >
          {reset.label}
        </button>
      </div>
    </fieldset>
  );
}

function Advance({ move }: { readonly move: Move }): JSX.Element {
  const { advance } = words.clock;
  const by = (time: string) =>
    move({ advance: time }, advance.said.replace('{time}', `\u2066${time}\u2069`));
  return (
    <section class="panel">
      <h2>{advance.title}</h2>
      <div class="actions">
        {STEPS.map(([name, time]) => (
          <button
            key={name}
            class="secondary"
            type="button"
            data-testid={testIds.advance(time)}
            onClick={() => void by(time)}
          >
            {advance[name]}
          </button>
        ))}
      </div>
      <TextForm
        label={advance.field}
        hint={fill(advance.hint, { units: <Code text="500ms 90s 5m 2h 1d" /> })}
        send={advance.send}
        testId={testIds.advanceBy}
        onSend={by}
      />
    </section>
  );
}

function Freeze({ move }: { readonly move: Move }): JSX.Element {
  const { freeze } = words.clock;
  const at = (time: string) => move({ freeze: time }, freeze.said);
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
        hint={fill(freeze.hint, { form: <Code text="2026-01-31T09:05:00Z" /> })}
        send={freeze.send}
        testId={testIds.freezeAt}
        onSend={at}
      />
    </section>
  );
}

function Skew({ move }: { readonly move: Move }): JSX.Element {
  const { skewing } = words.clock;
  const hint = fill(skewing.hint, {
    forward: <Code text="2m" />,
    behind: <Code text="-2m" />,
    none: <Code text="0s" />,
  });
  return (
    <section class="panel">
      <h2>{skewing.title}</h2>
      <p>{skewing.text}</p>
      <TextForm
        label={skewing.field}
        hint={hint}
        send={skewing.send}
        testId={testIds.skewBy}
        onSend={(skew) => move({ skew }, skewing.said)}
      />
    </section>
  );
}
