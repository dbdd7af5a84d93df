import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { startTheme } from "./theme/theme.ts";
import "./theme/theme.css";

startTheme();
const root = document.getElementById("root");
if (root === null) throw new Error("the page has no place for the console");
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
