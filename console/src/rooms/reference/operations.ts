/** The control API's own OpenAPI document, as far as the table needs it. */
export type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
};

type Described = {
  readonly operationId?: string;
  readonly summary?: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly content?: Readonly<Record<string, { readonly schema?: BodySchema }>>;
  };
};

type Parameter = {
  readonly in: string;
  readonly name: string;
  readonly required?: boolean;
  readonly schema?: BodySchema;
};

/** What JSON Schema can say of the smallest body that an operation takes. */
type BodySchema = {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly anyOf?: readonly BodySchema[];
  readonly oneOf?: readonly BodySchema[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, BodySchema>>;
  readonly minimum?: number;
};

/** One operation, with what a command for it needs. */
export type Operation = {
  readonly id: string;
  readonly method: string;
  /** With the members of the query that it needs. */
  readonly path: string;
  readonly summary: string;
  /** Undefined: it takes none. */
  readonly body: unknown;
};

/** Those of the control API, in the order of the document. */
export function operationsIn({ paths }: Document): readonly Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { tags }]) => tags?.includes('Control API') === true)
      .map(([method, described]) => operationOf(path, method, described)),
  );
}

function operationOf(path: string, method: string, described: Described): Operation {
  const { operationId = path, summary = '', requestBody, parameters = [] } = described;
  const query = parameters
    .filter((one) => one.in === 'query' && one.required === true)
    .map(({ name, schema }) => `${name}=${String(exampleOf(schema ?? {}))}`);
  const schema = requestBody?.content?.['application/json']?.schema;
  return {
    id: operationId,
    method: method.toUpperCase(),
    path: query.length === 0 ? path : `${path}?${query.join('&')}`,
    summary,
    body: schema === undefined ? undefined : exampleOf(schema),
  };
}

/** The smallest value that the schema describes, or the first of its examples. */
export function exampleOf(schema: BodySchema): unknown {
  const { examples, enum: listed, anyOf, oneOf, properties = {}, required = [] } = schema;
  if (examples?.[0] !== undefined) return examples[0];
  if ('const' in schema) return schema.const;
  if (listed !== undefined) return listed[0];
  const [first] = anyOf ?? oneOf ?? [];
  if (first !== undefined) return exampleOf(first);
  const [type] = [schema.type].flat();
  if (type === 'object') {
    return Object.fromEntries(required.map((name) => [name, exampleOf(properties[name] ?? {})]));
  }
  if (type === 'array') return [];
  if (type === 'integer' || type === 'number') return schema.minimum ?? 0;
  if (type === 'boolean') return false;
  return type === 'null' ? null : '…';
}
