import { load } from "./rigid-engine.js";
import { serve } from "./worker.js";

serve(() => load());
