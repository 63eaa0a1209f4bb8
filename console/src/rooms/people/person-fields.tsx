import type { PersonRow } from '@miftah/contract/control';
import type { JSX } from 'preact';
import { Code } from '../../parts/code.tsx';
import { Field } from '../../parts/field.tsx';
import { fill } from '../../parts/fill.ts';
import { words } from '../../words/index.ts';
import { faultText } from './fault-text.tsx';
import { Choice, Needed, Text, type Faults } from './inputs.tsx';
import { NameFields } from './name-fields.tsx';
import { DOCUMENTS } from './person.ts';

type Properties = {
  readonly person: PersonRow;
  readonly isNew: boolean;
  readonly faults: Faults;
};

/** All fields of a person, with what they are now. */
export function PersonFields({ person, isNew, faults }: Properties): JSX.Element {
  return (
    <>
      <p class="hint">{fill(words.people.form.neededHint, { mark: <Needed /> })}</p>
      <div class="fields">
        <Identity person={person} isNew={isNew} faults={faults} />
        <NameFields name="arabic_name" row={person.arabic_name} faults={faults} />
        <NameFields name="english_name" row={person.english_name} faults={faults} />
        <Origin person={person} faults={faults} />
        <Details person={person} faults={faults} />
        <DefaultField person={person} faults={faults} />
      </div>
    </>
  );
}

function Identity({ person, isNew, faults }: Properties): JSX.Element {
  const { form, documents } = words.people;
  const reserved = { reserved: <Code text="19000000" /> };
  const options = DOCUMENTS.map((one) => [one, documents[one]] as const);
  return (
    <>
      <Text
        {...{ name: 'id', label: form.id, hint: form.idHint, value: person.id, faults }}
        isLatin
        isFixed={!isNew}
      />
      <Text
        {...{ name: 'about', label: form.about, hint: form.aboutHint, value: person.about, faults }}
      />
      <Text
        {...{ name: 'national_id', label: form.nationalId, value: person.national_id, faults }}
        hint={fill(form.nationalIdHint, reserved)}
        isLatin
        isNumber
      />
      <Choice
        {...{
          name: 'document_type',
          label: form.documentType,
          value: person.document_type,
          faults,
        }}
        options={options}
      />
    </>
  );
}

type Some = Omit<Properties, 'isNew'>;

function Origin({ person, faults }: Some): JSX.Element {
  const { form } = words.people;
  const { birth_date: birthDate, nationality } = person;
  const birthDateHint = fill(form.birthDateHint, { form: <Code text="1990-04-12" /> });
  return (
    <>
      <Text
        {...{ name: 'birth_date', label: form.birthDate, value: birthDate, faults }}
        hint={birthDateHint}
        isLatin
      />
      <Text
        {...{ name: 'code', label: form.country, value: nationality.code, faults }}
        hint={form.countryHint}
        isLatin
      />
      <Text
        {...{
          name: 'number',
          label: form.countryNumber,
          value: String(nationality.number),
          faults,
        }}
        hint={form.countryNumberHint}
        isLatin
        isNumber
      />
    </>
  );
}

function Details({ person, faults }: Some): JSX.Element {
  const { form, genders, languages } = words.people;
  const { gender, email, assurance_level: level, preferred_locale: locale } = person;
  return (
    <>
      <Choice
        {...{ name: 'gender', label: form.gender, value: gender, faults }}
        options={Object.entries(genders)}
      />
      <Text {...{ name: 'email', label: form.email, value: email, faults }} isLatin />
      <Text
        {...{ name: 'assurance_level', label: form.assurance, value: String(level), faults }}
        hint={form.assuranceHint}
        isLatin
      />
      <Choice
        {...{ name: 'preferred_locale', label: form.language, value: locale, faults }}
        options={Object.entries(languages)}
      />
    </>
  );
}

/** Who is the default stays it until another becomes it. */
function DefaultField({ person, faults }: Some): JSX.Element {
  const { form } = words.people;
  const isDefault = person.default;
  return (
    <Field
      label={form.byDefault}
      hint={isDefault ? form.keepsDefault : form.byDefaultHint}
      fault={faultText(faults.get('default'))}
    >
      {(described) => (
        <>
          <input
            {...described}
            type="checkbox"
            name={isDefault ? undefined : 'default'}
            defaultChecked={isDefault}
            disabled={isDefault}
          />
          {isDefault ? <input type="hidden" name="default" value="on" /> : null}
        </>
      )}
    </Field>
  );
}
