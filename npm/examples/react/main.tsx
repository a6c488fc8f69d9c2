import { createRoot } from "react-dom/client";
import { Throw } from "./Throw";

createRoot(document.getElementById("root") as HTMLElement).render(<Throw />);
