import { memorySecrets } from "./memory-secrets.ts";
import { secretContract } from "./secret.contract.ts";

secretContract("memory", async (clock) => memorySecrets(clock));
