import { load } from "./all-engine.js";
import { serve } from "./worker.js";

serve(() => load());
