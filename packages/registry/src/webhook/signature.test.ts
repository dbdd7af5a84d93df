import { expect, test } from "vitest";
import { isSigned, newWebhookSecret, signedHeaders } from "./signature.ts";

const message = {
  id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
  timestamp: 1_614_265_330,
  body: '{"test": 2432232314}',
};
const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

test("signs the example of Standard Webhooks as its libraries do [S-49]", () => {
  expect(signedHeaders(message, secret)).toEqual({
    "webhook-id": message.id,
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  });
});

test("rejects another body, id, time, secret and version [S-49]", () => {
  const header = signedHeaders(message, secret)["webhook-signature"] ?? "";
  expect(isSigned(message, `v1,AAAA ${header}`, secret)).toBe(true);
  expect(isSigned({ ...message, body: "{}" }, header, secret)).toBe(false);
  expect(isSigned({ ...message, id: "other" }, header, secret)).toBe(false);
  expect(isSigned({ ...message, timestamp: 1 }, header, secret)).toBe(false);
  expect(isSigned(message, header, newWebhookSecret())).toBe(false);
  expect(isSigned(message, header.replace("v1,", "v2,"), secret)).toBe(false);
});
