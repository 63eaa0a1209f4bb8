import {
  boolean,
  integer,
  list,
  object,
  optional,
  record,
  reference,
  string,
  type Static,
} from '@miftah/schema';

const Violation = object({
  pointer: string({ description: 'A JSON pointer into the body, or into the query.' }),
  code: string(),
  header: optional(string({ description: 'The header; the pointer is empty then.' })),
  parameter: optional(string({ description: 'The member of the query.' })),
});

/** The body of an error: RFC 9457, with the additional members that clients of Laravel services read. */
export const Problem = object(
  {
    type: string({ format: 'uri-reference' }),
    title: string(),
    status: integer(),
    detail: string(),
    code: string(),
    message: string(),
    remedy: optional(string({ description: 'What the caller can do about it.' })),
    success: optional(boolean({ description: 'On /callback and /complete-mfa: false.' })),
    attempt_id: optional(string()),
    errors: optional(record(list(string()))),
    violations: optional(list(Violation)),
    'violated-policies': optional(list(string())),
    reference: optional(integer({ description: "The provider's number of the call." })),
    request_id: string(),
  },
  { $id: 'Problem', title: 'Problem' },
);
export type Problem = Static<typeof Problem>;

/**
 * A reference to `Problem` for other schemas. `Problem` must be registered before they are
 * compiled.
 */
export const PROBLEM = reference(Problem);
