import { expect, test } from "vitest";
import { clientAddress } from "./client-address.ts";

const address = (peer: string | undefined, forwarded: string | undefined, isTls: boolean) =>
  clientAddress(new Headers(forwarded === undefined ? {} : { "x-forwarded-for": forwarded }), peer, {
    isTls,
  });

test("uses the peer address unless a TLS proxy forwards another one [S-53]", () => {
  expect(address("203.0.113.1", undefined, false)).toBe("203.0.113.1");
  expect(address("203.0.113.1", "198.51.100.1", false)).toBe("203.0.113.1");
  expect(address("203.0.113.1", "198.51.100.1", true)).toBe("198.51.100.1");
  expect(address("203.0.113.1", "192.0.2.1, 198.51.100.1", true)).toBe("198.51.100.1");
  expect(address("203.0.113.1", undefined, true)).toBe("203.0.113.1");
  expect(address(undefined, undefined, false)).toBe("unknown");
});

test("ignores a forwarded value that is not an IP address [S-53]", () => {
  for (const forwarded of [
    "",
    "evil",
    "198.51.100.1:80",
    "198.51.100.1, ",
    "198.51.100.1, unknown",
    "a".repeat(9999),
  ])
    expect(address("203.0.113.1", forwarded, true)).toBe("203.0.113.1");
});

test("maps an IPv6 address to its /64 network in any notation, and mapped IPv4 to IPv4 [S-53]", () => {
  const same = [
    "2001:db8:1:2::1",
    "2001:0db8:0001:0002:ffff::",
    "2001:DB8:1:2:3:4:5:6",
    "2001:db8:1:2::%eth0",
  ];
  expect(new Set(same.map((each) => address(each, undefined, false)))).toEqual(
    new Set(["2001:db8:1:2::/64"]),
  );
  expect(address("2001:db8:1:3::1", undefined, false)).not.toBe("2001:db8:1:2::/64");
  expect(address("::1", undefined, false)).toBe("0:0:0:0::/64");
  expect(address("::ffff:203.0.113.1", undefined, false)).toBe("203.0.113.1");
});
