/** A server of skills: a program to start, or a URL. */
export type ServerAddress = StdioServer | HttpServer;

export interface StdioServer {
  readonly command: string;
  readonly args?: readonly string[];
  /** The environment beside PATH, HOME and LANG. Other variables of this process are not passed. */
  readonly env?: Readonly<Record<string, string>>;
  /** The working directory; by default, that of this process. */
  readonly cwd?: string;
}

export interface HttpServer {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
}
