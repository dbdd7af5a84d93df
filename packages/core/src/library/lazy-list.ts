/**
 * A list that makes each item at its first read, and otherwise behaves like an array. Callers often need the length or a
 * few of many items.
 */
export function lazyList<Item>(length: number, make: (index: number) => Item): readonly Item[] {
  const items: Item[] = new Array(length);
  const fill = (key: string | symbol): void => {
    const index = typeof key === "string" ? Number(key) : Number.NaN;
    if (Number.isInteger(index) && index >= 0 && index < length && !(index in items))
      items[index] = make(index);
  };
  const fillAll = (): void => {
    for (let index = 0; index < length; index += 1) if (!(index in items)) items[index] = make(index);
  };
  return new Proxy(items, {
    get(target, key, receiver) {
      fill(key);
      return Reflect.get(target, key, receiver);
    },
    has(target, key) {
      fill(key);
      return Reflect.has(target, key);
    },
    getOwnPropertyDescriptor(target, key) {
      fill(key);
      return Reflect.getOwnPropertyDescriptor(target, key);
    },
    ownKeys(target) {
      fillAll();
      return Reflect.ownKeys(target);
    },
  });
}
