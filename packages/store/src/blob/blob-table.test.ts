import postgres from "postgres";
import { freshDatabase } from "../../../../tests/postgres-database.ts";
import { openRegistryStore } from "../table/registry-store.ts";
import { blobStoreContract } from "./blob-store.contract.ts";

blobStoreContract("PostgreSQL", async (clock) => {
  const url = await freshDatabase();
  const store = await openRegistryStore(url, { clock });
  const client = postgres(url, { max: 1 });
  return {
    blobs: store.blobs,
    damage: async (name) => {
      await client`update blob set content = convert_to(repeat('x', size::int), 'UTF8') where digest = ${name}`;
    },
    close: async () => {
      await client.end();
      await store.close();
    },
  };
});
