import { type Allowance, guardOffice } from "./office-guard.ts";
import { fitKind } from "./office-kind.ts";
import type { OfficePackage } from "./office-package.ts";
import { type Output, type Written, writeOutput } from "./output-file.ts";

export interface Saved {
  readonly written: Written;
  readonly macrosRemoved?: true;
}

/**
 * Checks and writes a document. The output name decides its format. The result must contain all parts of its source,
 * except for the allowance and the parts that were removed on purpose.
 */
export async function saveOffice(
  { pkg, main }: { readonly pkg: OfficePackage; readonly main: string },
  output: Output,
  allowance: Allowance = {},
): Promise<Saved> {
  const hasLostMacros = fitKind(pkg, main, output.path);
  const bytes = pkg.save();
  // A new document has no place on the disk.
  const source = pkg.file.absolute === "" ? undefined : (allowance.source ?? pkg.file);
  guardOffice(source, bytes, output.path, { ...allowance, parts: pkg.removed });
  const written = await writeOutput(output, bytes);
  return hasLostMacros ? { written, macrosRemoved: true } : { written };
}
