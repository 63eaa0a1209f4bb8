/** What is used of libraries that an application has, and this package has not. */

declare module 'react' {
  export function useState<Value>(first: Value): [Value, (next: Value) => void];
  export function useEffect(
    effect: () => (() => void) | undefined,
    needs: readonly unknown[],
  ): void;
}

declare module 'vue' {
  export interface Ref<Value> {
    value: Value;
  }
  export interface ComputedRef<Value> {
    readonly value: Value;
  }
  export type MaybeRefOrGetter<Value> = Value | Ref<Value> | ComputedRef<Value> | (() => Value);
  export function shallowRef<Value>(first: Value): Ref<Value>;
  export function computed<Value>(made: () => Value): ComputedRef<Value>;
  export function toValue<Value>(source: MaybeRefOrGetter<Value>): Value;
}
