import { load } from "./ensemble-engine.js";
import { serve } from "./worker.js";

serve(() => load());
