import { unzipSync } from "fflate";
import { isSkillFile, type ListedFile, type Listing, type ListingBounds } from "./listing.ts";

/** What is in a ZIP. Only its SKILL.md files are unpacked. */
export function listZip(bytes: Uint8Array, { skillFileBytes, archiveSkills }: ListingBounds): Listing {
  const found: ListedFile[] = [];
  let wanted = 0;
  const texts = unzipSync(bytes, {
    filter: ({ name, originalSize }) => {
      if (name.endsWith("/")) return false;
      found.push({ path: name, size: originalSize });
      const isWanted = isSkillFile(name) && originalSize <= skillFileBytes && wanted < archiveSkills;
      wanted += isWanted ? 1 : 0;
      return isWanted;
    },
  });
  const files = found.map((file) => {
    const content = Object.hasOwn(texts, file.path) ? texts[file.path] : undefined;
    return content === undefined ? file : { ...file, content };
  });
  return { files };
}
