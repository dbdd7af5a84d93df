import {
  type InvalidateOptions,
  type InvalidateQueryFilters,
  QueryClient,
  type QueryKey,
} from "@tanstack/react-query";

/**
 * A client whose stale queries are fetched after the call. Without this, a first fetch that is under way counts as the
 * refetch, though its answer may be from before the change.
 */
export class ConsoleQueries extends QueryClient {
  override async invalidateQueries<Key extends QueryKey = QueryKey>(
    filters?: InvalidateQueryFilters<Key>,
    options?: InvalidateOptions,
  ): Promise<void> {
    const isFirstFetch = ({ state }: { readonly state: { data: unknown; fetchStatus: string } }) =>
      state.data === undefined && state.fetchStatus === "fetching";
    const first = this.getQueryCache()
      .findAll(filters as InvalidateQueryFilters)
      .filter(isFirstFetch);
    await super.invalidateQueries(filters, options);
    await Promise.all(
      first.map(({ queryKey }) => super.invalidateQueries({ queryKey, exact: true }, options)),
    );
  }
}
