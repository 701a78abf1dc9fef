import App from "./App";
