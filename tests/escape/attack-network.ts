import { type Attack, reached, wasHeard } from "./attack.ts";

const send = (family: string, kind: string, place: string) => `
with socket.socket(socket.${family}, socket.${kind}) as ear:
    ear.settimeout(10)
    ear.connect(${place})
    ear.sendall(fact("MARK").encode())
    time.sleep(0.05)
`;

/** Asks the proxy of the run, or the host itself where there is none, for a tunnel. */
const tunnel = (authority: string) => `
from urllib.parse import urlsplit
proxy = urlsplit(os.environ.get("HTTPS_PROXY", ""))
authority = ${authority}
host, port = authority.rsplit(":", 1)
way = (proxy.hostname, proxy.port) if proxy.hostname else (host, int(port))
with socket.create_connection(way, timeout=10) as ear:
    if proxy.hostname:
        ear.sendall(f"CONNECT {authority} HTTP/1.1\\r\\n\\r\\n".encode())
        if b" 200 " not in ear.recv(4096): raise SystemExit
    ear.sendall(fact("MARK").encode())
    time.sleep(0.05)
`;

const confinedAttacks: readonly Attack[] = [
  {
    name: "connect-loopback",
    title: "reach a server on the loopback address",
    language: "python",
    script: send("AF_INET", "SOCK_STREAM", '("127.0.0.1", int(fact("PORT")))'),
    harm: wasHeard,
    bare: "harms",
  },
  {
    name: "connect-address",
    title: "reach a server on the host's own address",
    language: "python",
    script: send("AF_INET", "SOCK_STREAM", '(fact("ADDRESS"), int(fact("PORT")))'),
    harm: wasHeard,
    bare: "harms",
  },
  {
    name: "send-datagram",
    title: "send a datagram to the host",
    language: "python",
    script: send("AF_INET", "SOCK_DGRAM", '(fact("ADDRESS"), int(fact("DATAGRAM_PORT")))'),
    harm: wasHeard,
    bare: "harms",
  },
  {
    name: "connect-socket",
    title: "reach a Unix socket of the host",
    language: "python",
    script: send("AF_UNIX", "SOCK_STREAM", 'fact("SOCKET")'),
    harm: wasHeard,
    bare: "harms",
  },
  {
    name: "connect-abstract-socket",
    title: "reach an abstract Unix socket of the host",
    language: "python",
    script: send("AF_UNIX", "SOCK_STREAM", '"\\0" + fact("ABSTRACT")'),
    harm: wasHeard,
    bare: "harms",
  },
  {
    name: "see-interfaces",
    title: "see the host's network",
    language: "python",
    script: `
for line in open("/proc/net/dev").read().splitlines()[2:]:
    name = line.split(":")[0].strip()
    if name != "lo": reached(name)
`,
    harm: reached,
    bare: "harms",
  },
  {
    name: "use-vsock",
    title: "open a socket to the hypervisor",
    language: "python",
    script: 'attempt(lambda: socket.socket(40, socket.SOCK_STREAM).close(), "vsock")',
    harm: reached,
    bare: { notRun: "the kernel may lack it" },
  },
  {
    name: "use-packets",
    title: "read raw packets",
    language: "python",
    script: `
attempt(lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW).close(), "packets")
attempt(lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1).close(), "raw")
`,
    harm: reached,
    bare: "harms-as-root",
  },
  {
    name: "use-kernel-crypto",
    title: "use sockets of rare families",
    language: "python",
    script:
      "for family in (9, 21, 30, 31, 38, 44):\n    attempt(lambda: socket.socket(family, socket.SOCK_SEQPACKET).close(), family)",
    harm: reached,
    bare: { notRun: "the kernel may lack them" },
  },
];

/** An open network is not the host's network. */
export const networkAttacks: readonly Attack[] = [
  ...confinedAttacks,
  ...confinedAttacks.slice(0, 6).map((attack) => ({
    ...attack,
    name: `${attack.name}-with-network`,
    title: `${attack.title} when it has a network`,
    network: "open" as const,
  })),
  {
    name: "tunnel-to-loopback",
    title: "reach a server on the loopback address through its proxy",
    language: "python",
    network: "open",
    script: tunnel("f\"127.0.0.1:{fact('PORT')}\""),
    harm: wasHeard,
    bare: "harms",
  },
  {
    name: "tunnel-to-localhost",
    title: "reach a server on the loopback address by a listed name",
    language: "python",
    network: { hosts: ["localhost"] },
    script: tunnel("f\"localhost:{fact('PORT')}\""),
    harm: wasHeard,
    bare: "harms",
  },
  {
    name: "tunnel-to-address",
    title: "reach a server on the host's own address through its proxy",
    language: "python",
    network: { hosts: ["example.com"] },
    script: tunnel("f\"{fact('ADDRESS')}:{fact('PORT')}\""),
    harm: wasHeard,
    bare: "harms",
  },
];
