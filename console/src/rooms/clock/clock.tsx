import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { call } from '../../api/call.ts';
import { useAction } from '../../api/use-action.ts';
import { useCall } from '../../api/use-call.ts';
import { Failed } from '../../parts/failed.tsx';
import { ActionResult } from '../../parts/action-result.tsx';
import { Title } from '../../parts/title.tsx';
import { words } from '../../words/index.ts';
import { Fixed } from './fixed.tsx';
import { Keeps } from './keeps.tsx';
import { Moves, type Kind, type Move } from './moves.tsx';
import { Time } from './time.tsx';

export function Clock(): JSX.Element {
  const { data, failure, again } = useCall('readClock');
  const action = useAction();
  const last = useSignal<Kind | null>(null);
  const move: Move = (kind, value, said) => {
    last.value = kind;
    return action.run(async () => {
      await call('moveClock', { body: { [kind]: value } });
      await again();
      return said;
    });
  };
  // What was written is wrong, and stands at its field, which can't have the focus while it is sent.
  const isWrong = !action.isBusy.value && action.failure.value?.code === 'validation.failed';
  const wrong = isWrong ? last.value : null;
  const state = data.value;
  return (
    <>
      <Title>{words.clock.title}</Title>
      <p class="lead">{words.clock.lead}</p>
      <Failed failure={failure.value} />
      {state === null ? null : (
        <>
          <Time key={state.now} state={state} />
          {state.movable ? null : <Fixed />}
          <ActionResult action={action} isAtField={action.isBusy.value || isWrong} />
          {state.movable && state.keeps_ms !== null ? <Keeps keepsMs={state.keeps_ms} /> : null}
          <Moves
            {...{ move, wrong, keepsMs: state.keeps_ms }}
            isMovable={state.movable}
            isBusy={action.isBusy.value}
          />
        </>
      )}
    </>
  );
}
