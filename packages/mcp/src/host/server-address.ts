/** Where a server of skills is: a program to start, or an address. */
export type ServerAddress = StdioServer | HttpServer;

export interface StdioServer {
  readonly command: string;
  readonly args?: readonly string[];
  /** What the program is given beside PATH, HOME and LANG; nothing else of this process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Where it is started; without it, where this process is. */
  readonly cwd?: string;
}

export interface HttpServer {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
}
