import type { PersonRow } from '@miftah/contract/control';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { useAction } from '../../api/use-action.ts';
import { Failed } from '../../parts/failed.tsx';
import { textIn } from '../../parts/text-in.ts';
import { Title } from '../../parts/title.tsx';
import { linkTo } from '../../router.ts';
import { testIds } from '../../test-ids.ts';
import { words } from '../../words/index.ts';
import { faultsByField } from './field-faults.ts';
import { nameOf } from './name-of.ts';
import { personFrom } from './person.ts';
import { PersonFields } from './person-fields.tsx';

type Properties = {
  readonly person: PersonRow;
  readonly isNew: boolean;
  readonly onSaved: (said: string) => Promise<void>;
};

/** One person, new or changed. What the simulator refuses stands at its field. */
export function PersonForm({ person, isNew, onSaved }: Properties): JSX.Element {
  const { form } = words.people;
  const action = useAction();
  const element = useRef<HTMLFormElement>(null);
  const failure = action.failure.value;
  const sent = useRef(new FormData());
  const isEmpty = (field: string) => textIn(sent.current, field) === '';
  const { fields, others } = faultsByField(failure?.violations ?? [], isEmpty);
  useEffect(() => {
    element.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus();
  }, [failure]);
  const save = (event: Event) => {
    event.preventDefault();
    sent.current = new FormData(element.current ?? undefined);
    const row = personFrom(sent.current);
    void action.run(async () => {
      await call('putPerson', { id: row.id, body: row });
      await onSaved(form.saved.replace('{name}', nameOf(row)));
      location.hash = linkTo('people');
      return '';
    });
  };
  return (
    <>
      <p class="back">
        <a href={linkTo('people')}>{form.back}</a>
      </p>
      <Title>{isNew ? form.newTitle : form.changeTitle.replace('{name}', nameOf(person))}</Title>
      <form ref={element} class="form" noValidate data-testid={testIds.personForm} onSubmit={save}>
        <PersonFields person={person} isNew={isNew} faults={fields} />
        <Refusal failure={failure} others={others} />
        <div class="actions">
          <button
            class="primary"
            type="submit"
            disabled={action.isBusy.value}
            data-testid={testIds.savePerson}
          >
            {form.save}
          </button>
        </div>
      </form>
    </>
  );
}

type Refused = {
  readonly failure: ReturnType<typeof useAction>['failure']['value'];
  readonly others: readonly string[];
};

/** What is wrong and belongs to no field; or that something is wrong above. */
function Refusal({ failure, others }: Refused): JSX.Element | null {
  if (failure === null) return null;
  if (failure.violations.length === 0) return <Failed failure={failure} />;
  return (
    <div class="notice" role="alert">
      <p>{words.people.form.wrong}</p>
      {others.map((fault) => (
        <p key={fault}>
          <bdi lang="en">{fault}</bdi>
        </p>
      ))}
    </div>
  );
}
