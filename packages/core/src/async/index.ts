export { SerialQueue } from "./serial-queue.ts";
